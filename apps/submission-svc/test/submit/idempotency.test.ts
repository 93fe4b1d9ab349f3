import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { sweepKeys } from '../../src/submit/idempotency.store.ts';
import { submit } from '../../src/submit/submit.ts';
import { recordAt, recordOf } from '@esd/testing/records';
import { submitRequest, openTestDatabase, testContext, user, refusal, incompleteRecord } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

// One queue for all submissions, as in a process. More transactions than connections would fail after two seconds.
const context = testContext(database);

const userMetadata = { name: 'Ada', email: 'ada@example.org', consentTerms: true };

const send = (
  idempotencyKey: string | undefined,
  voltage: number,
  more: Partial<ReturnType<typeof submitRequest>> = {},
) =>
  submit(context, {
    json: Buffer.from(JSON.stringify({ userMetadata, experimentData: [recordAt(voltage, 'PCL'), recordOf('PVA')] })),
    ...submitRequest(user),
    ...more,
    idempotencyKey,
  });

const countSubmissions = async (): Promise<number> =>
  (await database.selectFrom('submission').select('id').execute()).length;

test('the same key and body return the original response, even after the records have changed', async () => {
  const first = await send('one', 1);
  expect(first).toMatchObject({ kind: 'stored', replayed: false });
  await database.updateTable('record').set({ status: 'REJECTED' }).execute();
  expect(await send('one', 1)).toEqual({ ...first, replayed: true });
  expect(await countSubmissions()).toBe(1);
});

test('an incomplete record of a token is returned with its original status', async () => {
  const json = Buffer.from(JSON.stringify({ experimentData: [incompleteRecord, recordOf('PCL')] }));
  const call = { ...submitRequest({ ...user, credential: 'pat' as const }), json, idempotencyKey: 'incomplete' };
  const first = await submit(context, call);
  expect(first).toMatchObject({ records: [{ status: 'NEEDS_UPDATE' }, { status: 'PENDING' }] });
  expect(await submit(context, call)).toEqual({ ...first, replayed: true });
});

test('another body is a conflict and stores nothing', async () => {
  await send('two', 1);
  const before = await countSubmissions();
  await expect(send('two', 2)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await countSubmissions()).toBe(before);
});

test('a key belongs to its account, or to the address of a caller without one', async () => {
  const other = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000a' };
  const outcomes = [
    await send('mine', 1),
    await send('mine', 2, { caller: other }),
    await send('mine', 3, { caller: undefined, clientIp: '192.0.2.7' }),
    await send('mine', 4, { caller: undefined, clientIp: '192.0.2.8' }),
  ];
  expect(outcomes.map((outcome) => outcome.kind === 'stored' && outcome.replayed)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(await send('mine', 3, { caller: undefined, clientIp: '192.0.2.7' })).toMatchObject({ replayed: true });
});

test('of concurrent requests with one key, one is stored and all return its response', async () => {
  const before = await countSubmissions();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => send('crowd', 1)));
  expect(await countSubmissions()).toBe(before + 1);
  const ids = outcomes.map((outcome) => (outcome.kind === 'stored' ? outcome.submissionId : undefined));
  expect(new Set(ids).size).toBe(1);
  expect(outcomes.filter((outcome) => outcome.kind === 'stored' && !outcome.replayed)).toHaveLength(1);
});

test('a refusal does not store the key', async () => {
  const bad = { ...submitRequest(user), json: Buffer.from('{"experimentData": [{}]}'), idempotencyKey: 'later' };
  expect(await refusal(submit(context, bad))).toMatchObject({ code: 'MISSING_FIELDS' });
  expect(await send('later', 1)).toMatchObject({ replayed: false });
});

test('a key can be used again after 24 hours, and a sweep deletes expired ones', async () => {
  const first = await send('old', 1);
  await send('young', 1);
  await sql`
    update idempotency_key set created_at = now() - interval '24 hours 1 second'
    where submission_id = ${first.kind === 'stored' ? first.submissionId : 0}`.execute(database);
  expect(await send('old', 2)).toMatchObject({ replayed: false });
  await sql`
    update idempotency_key set created_at = now() - interval '24 hours 1 second'
    where body_hash = (select body_hash from idempotency_key order by created_at desc limit 1)`.execute(database);
  const before = (await database.selectFrom('idempotency_key').select('key_hash').execute()).length;
  const swept = await sweepKeys(database);
  expect(swept).toBeGreaterThan(0);
  expect(await database.selectFrom('idempotency_key').select('key_hash').execute()).toHaveLength(before - swept);
  expect(await send('young', 1)).toMatchObject({ replayed: true });
});

test.each(['', 'x'.repeat(256), 'é', 'a\nb', 'a\tb'])('the key %j is refused', async (key) => {
  await expect(send(key, 1)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
});

test.each(['x', ' x y ', '~'.repeat(255)])('the key %j is accepted', async (key) => {
  expect(await send(key, 1)).toMatchObject({ kind: 'stored' });
});

test('a check stores neither records nor the key', async () => {
  const before = await countSubmissions();
  const checked = await send('check', 1, { validateOnly: true });
  expect(checked).toEqual({
    kind: 'checked',
    records: [
      { status: 'PENDING', missingFields: [], warnings: [] },
      { status: 'PENDING', missingFields: [], warnings: [] },
    ],
  });
  expect(await countSubmissions()).toBe(before);
  expect(await send('check', 2)).toMatchObject({ replayed: false });
});
