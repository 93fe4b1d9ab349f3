import type { Kysely } from 'kysely';
import { pino } from 'pino';
import { indexReferences } from '@esd/record/reference/reference';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { clientOf } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { recordOf, smallRecord, anonymousSubmitter } from '@esd/testing/records';
import { migrations } from '../migrations/index.ts';
import type { ImageClient } from '../src/records/image-client.ts';
import { originsBy } from '../src/origin/origin.ts';
import { submit, type SubmitContext, type SubmitResult } from '../src/submit/submit.ts';
import { openWorkQueues } from '../src/records/work-queues.ts';
import type { Tables } from '../src/tables.ts';
import { type UpdatedRecord, updateRecord } from '../src/update/update.ts';
import type { FeatureRangeCache } from '../src/prepare/feature-ranges.ts';

const substance = (id: number, name: string, aliases: string[] = []) => ({ id, name, aliases, kind: 'polymer' });

/** A few entries of each list, enough to distinguish known names from unknown ones. */
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

export const fixedReferences: ReferenceLists = {
  current: () => Promise.resolve({ datasetId: 'one', references }),
  refresh: () => Promise.resolve({ datasetId: 'one', references }),
};

export const noRanges: FeatureRangeCache = { current: () => new Map() };

export const submitRequest = (caller: Caller | undefined) => ({
  caller,
  client: clientOf({ caller, clientIp: '192.0.2.1' }),
  clientIp: '192.0.2.1',
  idempotencyKey: undefined,
  validateOnly: false,
  requestId: 'test',
  deadline: Date.now() + 120_000,
  signal: new AbortController().signal,
});

export const admin: Caller = {
  accountId: '0190d2b0-0000-7000-8000-000000000001',
  role: 'ADMIN',
  credential: 'session',
};
export const moderator: Caller = { ...admin, accountId: '0190d2b0-0000-7000-8000-000000000002', role: 'MODERATOR' };
export const user: Caller = { ...admin, accountId: '0190d2b0-0000-7000-8000-000000000003', role: 'USER' };

/** Returns the code and details of the ServiceError that the work throws. Throws for any other outcome. */
export async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    (result) => new Error(`not refused: ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, details } = error;
  return { code, message, ...details };
}

export const reviewBy = (caller: Caller) => ({ caller, requestId: 'test' });

export async function openTestDatabase(): Promise<{
  database: Kysely<Tables>;
  url: string;
  close: () => Promise<void>;
}> {
  const { url, drop } = await createDatabase('submission', migrations);
  const database = openDatabase<Tables>(url, 8, pino({ level: 'silent' }));
  return {
    database,
    url,
    close: async () => {
      await database.destroy();
      await drop();
    },
  };
}

/** A record without the name of its polymer, which is mandatory. */
export const incompleteRecord = {
  ...smallRecord,
  polymerProperty: { polymerComponents: [{ molecularWeight: 80 }] },
};

/** Submits records of these polymers as `caller`; undefined stands for a record without its polymer name. */
export function submitRecords(
  database: Kysely<Tables>,
  polymers: (string | undefined)[],
  caller: Caller | undefined = user,
): Promise<SubmitResult> {
  const body = JSON.stringify({
    experimentData: polymers.map((polymer) => (polymer === undefined ? incompleteRecord : recordOf(polymer))),
  });
  return submit(testContext(database), { json: Buffer.from(body), ...submitRequest(caller) });
}

export async function storeRecords(database: Kysely<Tables>, count: number, caller: Caller = user): Promise<number[]> {
  const outcome = await submitRecords(
    database,
    Array.from({ length: count }, () => 'PCL'),
    caller,
  );
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return outcome.records.map((record) => record.recordId);
}

// Shared by all submissions, as in a process.
const queues = openWorkQueues();

export function submitAnonymous(
  database: Kysely<Tables>,
  count: number,
  {
    clientIp = '192.0.2.1',
    userMetadata = {},
    ...request
  }: { clientIp?: string; userMetadata?: object; validateOnly?: boolean; idempotencyKey?: string } = {},
): Promise<SubmitResult> {
  const body = {
    userMetadata: { ...anonymousSubmitter, ...userMetadata },
    experimentData: Array.from({ length: count }, () => recordOf('PCL')),
  };
  return submit(
    { ...testContext(database), queues },
    {
      ...submitRequest(undefined),
      json: Buffer.from(JSON.stringify(body)),
      clientIp,
      client: clientOf({ clientIp }),
      ...request,
    },
  );
}

/** Calls submitAnonymous, and throws unless the submission is stored. */
export async function storeAnonymous(
  database: Kysely<Tables>,
  count: number,
  options: Parameters<typeof submitAnonymous>[2] = {},
): Promise<{ submissionId: number; recordIds: number[] }> {
  const outcome = await submitAnonymous(database, count, options);
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return { submissionId: outcome.submissionId, recordIds: outcome.records.map(({ recordId }) => recordId) };
}

export const noImages: ImageClient = {
  describe: () => Promise.resolve(new Map()),
  reserve: () => Promise.resolve([]),
  cancel: () => Promise.resolve(),
  claim: () => Promise.resolve([]),
  release: () => Promise.resolve(),
  delete: () => Promise.resolve(),
};

export const originsOf = originsBy('0123456789abcdef0123456789abcdef');

export const testContext = (database: Kysely<Tables>): SubmitContext => ({
  database,
  anonymous: { originsOf, maxPending: 500 },
  references: fixedReferences,
  ranges: noRanges,
  images: noImages,
  queues: openWorkQueues(),
  log: pino({ level: 'silent' }),
});

/** Updates a record with `experimentData`, which usually has one item. */
export function update(
  database: Kysely<Tables>,
  recordId: number,
  experimentData: object[],
  {
    caller = user,
    entityTags = [],
    ...body
  }: { caller?: Caller; entityTags?: string[]; imageOnly?: boolean; userMetadata?: object } = {},
): Promise<{ record: UpdatedRecord; entityTag: string }> {
  const json = Buffer.from(JSON.stringify({ ...body, experimentData }));
  return updateRecord(testContext(database), { recordId, json, entityTags, ...submitRequest(caller), caller });
}

export async function storedRecord(database: Kysely<Tables>, recordId: number) {
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
