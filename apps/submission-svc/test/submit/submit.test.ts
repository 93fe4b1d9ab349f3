import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { sql } from 'kysely';
import { submit } from '../../src/submit/submit.ts';
import { recordOf } from '@esd/testing/records';
import {
  submitRequest,
  openTestDatabase,
  testContext,
  storeRecords,
  submitRecords,
  user,
  refusal,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const countRecords = async (): Promise<number> => {
  const { count } = await database
    .selectFrom('record')
    .select((on) => on.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
};

const send = (json: string | Uint8Array, caller = user) =>
  submit(testContext(database), { json: Buffer.from(json), ...submitRequest(caller) });

test('a submission is stored with its records, first revisions, submitter and audit trail', async () => {
  const outcome = await submitRecords(database, ['PCL', 'polycaprolactone']);
  expect(outcome).toMatchObject({
    kind: 'stored',
    records: [
      { status: 'PENDING', missingFields: [] },
      { status: 'PENDING', missingFields: [] },
    ],
  });
  if (outcome.kind !== 'stored') return;
  const ids = outcome.records.map((record) => record.recordId);
  // Ids start at 1.
  expect([outcome.submissionId, ...ids]).toEqual([1, 1, 2]);
  const rows = await database.selectFrom('record_revision').selectAll().where('record_id', 'in', ids).execute();
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    expect(row).toMatchObject({ revision: 1, author_account_id: user.accountId });
    expect(row.data).toEqual(recordOf('PCL'));
  }
  const audit = await database.selectFrom('audit').selectAll().where('record_id', 'in', ids).execute();
  expect(audit).toHaveLength(2);
  expect(audit[0]).toMatchObject({ action: 'submit', actor_account_id: user.accountId, request_id: 'test' });
});

test('a single invalid record is reported, and nothing is stored', async () => {
  const before = await countRecords();
  const polymers: string[] = Array.from({ length: 50 }, () => 'PCL');
  polymers[31] = 'PCLL';
  for (const credential of ['session', 'pat'] as const) {
    expect(await refusal(submitRecords(database, polymers, { ...user, credential }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errorCount: 1,
      errors: [
        { path: 'experimentData[31].polymerProperty.polymerComponents[0].polymerName', code: 'UNKNOWN_POLYMER' },
      ],
    });
  }
  expect(await countRecords()).toBe(before);
});

test('missing mandatory fields are refused from a session and accepted from a personal access token', async () => {
  expect(await refusal(submitRecords(database, ['PCL', undefined]))).toMatchObject({
    code: 'MISSING_FIELDS',
    missingFields: ['polymerProperty.polymerComponents[].polymerName'],
    errors: [{ path: 'experimentData[1].polymerProperty.polymerComponents[].polymerName' }],
  });
  const lenient = await submitRecords(database, ['PCL', undefined], { ...user, credential: 'pat' });
  expect(lenient).toMatchObject({
    kind: 'stored',
    records: [
      { status: 'PENDING', missingFields: [] },
      { status: 'NEEDS_UPDATE', missingFields: ['polymerProperty.polymerComponents[].polymerName'] },
    ],
  });
});

describe('a record without values from a personal access token', () => {
  const pat = () => ({ ...user, accountId: randomUUID(), credential: 'pat' }) as const;
  const empty = { researchMetadata: { doi: '10.1/x' }, polymerProperty: { polymerComponents: [{}] } };
  const sendRecords = (caller: Caller, ...experimentData: object[]) => send(JSON.stringify({ experimentData }), caller);
  const refused = (...indexes: number[]) => ({
    code: 'VALIDATION_FAILED',
    errors: indexes.map((index) => ({ path: `experimentData[${index}]`, code: 'NO_VALUES' })),
  });

  test('needs an update; the third one in a row is refused with its whole request', async () => {
    const caller = pat();
    expect(await sendRecords(caller, empty, {})).toMatchObject({
      records: [{ status: 'NEEDS_UPDATE' }, { status: 'NEEDS_UPDATE' }],
    });
    const before = await countRecords();
    expect(await refusal(sendRecords(caller, empty, recordOf('PCL'), empty, empty, empty))).toMatchObject(
      refused(0, 4),
    );
    const validateOnly = { json: Buffer.from('{"experimentData":[{}]}'), ...submitRequest(caller), validateOnly: true };
    expect(await refusal(submit(testContext(database), validateOnly))).toMatchObject(refused(0));
    expect(await countRecords()).toBe(before);
    expect(await sendRecords(pat(), empty)).toMatchObject({ kind: 'stored' });
    expect(await sendRecords(caller, recordOf('PCL'), empty, empty)).toMatchObject({ kind: 'stored' });
  });

  test('is counted among concurrent requests', async () => {
    const caller = pat();
    const sent = await Promise.allSettled(Array.from({ length: 4 }, () => sendRecords(caller, empty)));
    expect(sent.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  });
});

test.each([
  ['a body that is not JSON', '{"experimentData": ['],
  ['an empty body', ''],
  ['a body that is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
])('%s is an invalid request', async (_, body) => {
  expect(await refusal(send(body))).toMatchObject({ code: 'INVALID_REQUEST' });
});

test('a failed submission leaves nothing behind, and no gap in the ids', async () => {
  const [last = 0] = await storeRecords(database, 1);
  const before = await countRecords();
  await sql`
    create function refuse_audit() returns trigger language plpgsql as
    $$ begin raise exception 'refused by the test' using errcode = '57014'; end $$`.execute(database);
  await sql`create trigger refuse before insert on audit for each row execute function refuse_audit()`.execute(
    database,
  );
  try {
    await expect(submitRecords(database, ['PCL', 'PCL'])).rejects.toThrow('refused');
  } finally {
    await sql`drop function refuse_audit cascade`.execute(database);
  }
  expect(await countRecords()).toBe(before);
  expect(await storeRecords(database, 1)).toEqual([last + 1]);
});

test('concurrent submissions get distinct ids without gaps', async () => {
  const [last = 0] = await storeRecords(database, 1);
  const ids = (await Promise.all(Array.from({ length: 10 }, () => storeRecords(database, 3)))).flat();
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => last + 1 + index));
});
