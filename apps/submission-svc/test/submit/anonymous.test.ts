import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { SubmitResult } from '../../src/submit/submit.ts';
import {
  moderator,
  openTestDatabase,
  storeAnonymous,
  storeRecords,
  submitAnonymous,
  submitRecords,
  reviewBy,
} from '../builders.ts';
import { rejectRecords } from '../../src/review/review.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  await sql`truncate record, record_revision, submission, submitter, audit, outbox cascade`.execute(database);
});

const pending = async (): Promise<number> => {
  const rows = await database.selectFrom('record').select('id').where('status', '=', 'PENDING').execute();
  return rows.length;
};
const LIMITED = { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) };

describe('records of one submission without an account', () => {
  test('are limited to 50, and the error names the token that lifts the limit', async () => {
    await storeAnonymous(database, 50);
    const many = expect.objectContaining({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringMatching(/50.*51.*token/),
    });
    await expect(submitAnonymous(database, 51)).rejects.toEqual(many);
    await expect(submitAnonymous(database, 51, { validateOnly: true })).rejects.toEqual(many);
    expect(await pending()).toBe(50);
  });

  test('are counted before they are validated', async () => {
    const userMetadata = { name: 7, email: 'nowhere' };
    await expect(submitAnonymous(database, 51, { userMetadata })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test('are not limited with an account', async () => {
    const outcome = await submitRecords(
      database,
      Array.from({ length: 51 }, () => 'PCL'),
    );
    expect(outcome.kind).toBe('stored');
  });
});

describe('pending records of one network without an account', () => {
  /** Submits 24 concurrent bodies of 50 records, from the given addresses in turn. */
  const flood = (addresses: readonly string[]): Promise<PromiseSettledResult<SubmitResult>[]> =>
    Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        submitAnonymous(database, 50, { clientIp: addresses[index % addresses.length] ?? '' }),
      ),
    );

  test.each([
    ['IPv4', ['198.51.100.1', '198.51.100.77', '::ffff:198.51.100.255'], '198.51.101.1'],
    ['IPv6', ['2001:db8:1::1', '2001:db8:1:2::1', '2001:db8:1:ffff::7'], '2001:db8:2::1'],
  ])('are limited to 500 even for concurrent requests over %s', async (_, addresses, elsewhere) => {
    const outcomes = await flood(addresses);
    expect(await pending()).toBe(500);
    // None of them failed to get one of the shared connections.
    const refused = outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(14);
    for (const reason of refused) expect(reason).toMatchObject(LIMITED);
    // Neither other networks nor accounts are limited.
    await storeAnonymous(database, 1, { clientIp: elsewhere });
    await storeRecords(database, 1);
  });

  test('are refused beyond the limit, and the error names the remaining number', async () => {
    for (let round = 0; round < 9; round += 1) await storeAnonymous(database, 50);
    await storeAnonymous(database, 40);
    await expect(submitAnonymous(database, 11)).rejects.toMatchObject({
      ...LIMITED,
      message: expect.stringMatching(/\b10\b/),
    });
    await storeAnonymous(database, 10);
    await expect(submitAnonymous(database, 1)).rejects.toMatchObject(LIMITED);
    expect(await submitAnonymous(database, 1, { validateOnly: true })).toMatchObject({ kind: 'checked' });
  });

  test('are returned again for their key although the network is at its limit', async () => {
    const first = await submitAnonymous(database, 50, { idempotencyKey: 'k' });
    for (let round = 0; round < 9; round += 1) await storeAnonymous(database, 50);
    expect(await submitAnonymous(database, 50, { idempotencyKey: 'k' })).toEqual({ ...first, replayed: true });
  });

  test('count until they are decided', async () => {
    const { recordIds } = await storeAnonymous(database, 50);
    for (let round = 0; round < 9; round += 1) await storeAnonymous(database, 50);
    await expect(submitAnonymous(database, 1)).rejects.toMatchObject(LIMITED);
    const records = recordIds.map((recordId) => ({ recordId, revision: undefined }));
    await rejectRecords(database, records, 'Not an experiment.', reviewBy(moderator));
    await storeAnonymous(database, 50);
  });
});
