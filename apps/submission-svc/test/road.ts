import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { indexReferences } from '@esd/record/reference';
import type { Caller } from '@esd/service/assertion';
import { clientOf } from '@esd/service/client';
import { migrate } from '@esd/service/migrate';
import { openDatabase } from '@esd/service/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import type { ImageKeeper } from '../src/images/image-keeper.ts';
import { originsBy } from '../src/origin/origin.ts';
import type { ReferenceCache } from '../src/reference/reference-cache.ts';
import { submit, type SubmitOutcome, type SubmitParts } from '../src/submit/submit.ts';
import { takeTurns } from '../src/submit/turns.ts';
import type { Tables } from '../src/tables.ts';
import { type UpdateOutcome, updateRecord } from '../src/update/update.ts';
import type { FeatureRangeCache } from '../src/warnings/feature-ranges.ts';

const substance = (id: number, name: string, aliases: string[] = []) => ({ id, name, aliases, kind: 'polymer' });

/** A few entries of each list, enough to tell known names from unknown ones. */
export const references = indexReferences({
  revision: 1,
  polymers: [substance(1, 'PCL', ['Polycaprolactone']), substance(2, 'PVA')],
  solvents: [substance(1, 'WATER'), substance(2, 'DMF')],
  units: [
    { id: 1, unit: 'kV', name: 'kilovolt', dimension: 'voltage', canonical: 'kV', factor: 1, offset: 0, aliases: [] },
  ],
  morphologies: [],
  instabilities: [],
  ambiguous: [],
});

export const held: ReferenceCache = {
  current: () => Promise.resolve(references),
  refresh: () => Promise.resolve(references),
  stop: () => undefined,
};

/** Nothing is known of the dataset, so that no value is unusual. */
export const noRanges: FeatureRangeCache = { current: () => new Map(), stop: () => undefined };

/** What a request to submit has beside its body. */
export const asking = (caller: Caller | undefined) => ({
  caller,
  client: clientOf({ caller, clientIp: '192.0.2.1' }),
  clientIp: '192.0.2.1',
  idempotencyKey: undefined,
  validateOnly: false,
  requestId: 'test',
  deadline: Date.now() + 10_000,
  signal: new AbortController().signal,
});

export const admin: Caller = {
  accountId: '0190d2b0-0000-7000-8000-000000000001',
  role: 'ADMIN',
  credential: 'session',
};
export const moderator: Caller = { ...admin, accountId: '0190d2b0-0000-7000-8000-000000000002', role: 'MODERATOR' };
export const user: Caller = { ...admin, accountId: '0190d2b0-0000-7000-8000-000000000003', role: 'USER' };

/** A fresh database of submission-svc with its schema. */
export async function openTestDatabase(): Promise<{
  database: Kysely<Tables>;
  url: string;
  close: () => Promise<void>;
}> {
  const { url, drop } = await createDatabase('submission');
  const database = openDatabase<Tables>(url, 8, pino({ level: 'silent' }));
  await migrate(database, migrations);
  return {
    database,
    url,
    close: async () => {
      await database.destroy();
      await drop();
    },
  };
}

export const item = (polymerName?: string) => ({
  polymerProperty: { polymerComponents: [polymerName === undefined ? { molecularWeight: 80 } : { polymerName }] },
  processParameter: { voltage: 12, voltageUnit: 'kV' },
});

/** Submits records of these polymers (undefined: one without a name) as `caller`. */
export function submitRecords(
  database: Kysely<Tables>,
  polymers: (string | undefined)[],
  caller: Caller | undefined = user,
): Promise<SubmitOutcome> {
  const body = JSON.stringify({ experimentData: polymers.map(item) });
  return submit(parts(database), { json: Buffer.from(body), ...asking(caller) });
}

/** As submitRecords, for submissions that must be stored. Returns the record ids. */
export async function storeRecords(database: Kysely<Tables>, count: number, caller: Caller = user): Promise<number[]> {
  const outcome = await submitRecords(
    database,
    Array.from({ length: count }, () => 'PCL'),
    caller,
  );
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return outcome.records.map((record) => record.recordId);
}

// As in a process, where all submissions share them.
const turns = takeTurns();

/** Submits `count` records of PCL from an address without an account. */
export function submitAnonymous(
  database: Kysely<Tables>,
  count: number,
  {
    clientIp = '192.0.2.1',
    userMetadata = {},
    ...request
  }: { clientIp?: string; userMetadata?: object; validateOnly?: boolean; idempotencyKey?: string } = {},
): Promise<SubmitOutcome> {
  const body = {
    userMetadata: { name: 'Ada Example', email: 'ada@example.org', consentTerms: true, ...userMetadata },
    experimentData: Array.from({ length: count }, () => item('PCL')),
  };
  return submit(
    { ...parts(database), turns },
    {
      ...asking(undefined),
      json: Buffer.from(JSON.stringify(body)),
      clientIp,
      client: clientOf({ clientIp }),
      ...request,
    },
  );
}

/** As submitAnonymous, for submissions that must be stored. Returns the record ids. */
export async function storeAnonymous(
  database: Kysely<Tables>,
  count: number,
  options: Parameters<typeof submitAnonymous>[2] = {},
): Promise<{ submissionId: number; recordIds: number[] }> {
  const outcome = await submitAnonymous(database, count, options);
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return { submissionId: outcome.submissionId, recordIds: outcome.records.map(({ recordId }) => recordId) };
}

/** There is no image at all. */
export const noImages: ImageKeeper = {
  describe: () => Promise.resolve(new Map()),
  reserve: () => Promise.resolve([]),
  cancel: () => Promise.resolve(),
  claim: () => Promise.resolve([]),
  release: () => Promise.resolve(),
  erase: () => Promise.resolve(),
};

/** The origins of a network as the tests know them. */
export const originsOf = originsBy('0123456789abcdef0123456789abcdef');

export const parts = (database: Kysely<Tables>): SubmitParts => ({
  database,
  anonymous: { originsOf, maxPending: 500 },
  references: held,
  ranges: noRanges,
  images: noImages,
  turns: takeTurns(),
  log: pino({ level: 'silent' }),
});

/** A record that differs from others by its voltage. */
export const recordAt = (voltage: number, polymerName?: string) => ({
  ...item(polymerName),
  processParameter: { voltage, voltageUnit: 'kV' },
});

/** Updates a record to `experimentData`, of one item unless more are wanted. */
export function update(
  database: Kysely<Tables>,
  recordId: number,
  experimentData: object[],
  {
    caller = user,
    entityTags = [],
    ...body
  }: { caller?: Caller; entityTags?: string[]; imageOnly?: boolean; userMetadata?: object } = {},
): Promise<UpdateOutcome> {
  const json = Buffer.from(JSON.stringify({ ...body, experimentData }));
  return updateRecord(parts(database), { recordId, json, entityTags, ...asking(caller), caller });
}

/** Everything that is kept of a record. */
export async function keptOf(database: Kysely<Tables>, recordId: number) {
  const [record, revisions, audit] = await Promise.all([
    database
      .selectFrom('record')
      .select(['status', 'revision', 'published_revision as published'])
      .where('id', '=', recordId)
      .executeTakeFirst(),
    database.selectFrom('record_revision').selectAll().where('record_id', '=', recordId).orderBy('revision').execute(),
    database.selectFrom('audit').selectAll().where('record_id', '=', recordId).orderBy('id').execute(),
  ]);
  return { record, revisions, audit };
}
