import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { clientOf } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { sql } from 'kysely';
import {
  deleteFeedback,
  findFeedback,
  getFeedback,
  getFeedbackImage,
  type NewFeedback,
  updateFeedback,
} from '../../src/feedback/feedback.store.ts';
import { feedbackQueue, type FeedbackSource, submitFeedback } from '../../src/feedback/submit-feedback.ts';
import { admin, submitRequest, openTestDatabase, originsOf, user } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  await sql`truncate feedback`.execute(database);
});

const words = { name: 'Ada', category: 'bug', subject: 'A unit', message: 'µm is missing.', image: undefined };
const SPACE = 1_000;
const MIB = 1024 * 1024;
const from = (clientIp: string): FeedbackSource => ({
  ...submitRequest(undefined),
  clientIp,
  client: clientOf({ clientIp }),
});
const signedIn = submitRequest(user);
const queue = feedbackQueue();
const send = (feedback: Partial<NewFeedback> = {}, space = SPACE, source: FeedbackSource = signedIn, daily = 50) =>
  submitFeedback(database, { ...words, ...feedback }, source, { originsOf, imageBytes: space, daily, queue });
const image = (bytes: number) => ({ mediaType: 'image/png' as const, content: Buffer.alloc(bytes, 7) });
const { accountId } = admin;

test('feedback is stored completely, and its image is read separately', async () => {
  const id = await send({ image: image(10) });
  expect(await getFeedback(database, id)).toEqual({
    id,
    name: 'Ada',
    category: 'bug',
    subject: 'A unit',
    message: 'µm is missing.',
    hasImage: true,
    state: 'OPEN',
    note: null,
    submittedAt: expect.any(Date),
    changedAt: null,
    changedBy: null,
  });
  expect(await getFeedbackImage(database, id)).toEqual(image(10));
});

test('the sender is stored only as the given name and, until the feedback is closed, as a keyed hash', async () => {
  const ids = [await send(), await send({}, SPACE, from('203.0.113.9'))];
  const rows = await database.selectFrom('feedback').selectAll().orderBy('id').execute();
  expect(Object.keys(rows[0] ?? {}).filter((column) => /ip|address|account|owner|email/.test(column))).toEqual([]);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`203\\.0\\.113|${user.accountId}`));
  expect(new Set(rows.map(({ sender }) => sender)).size).toBe(2);
  for (const id of ids) await updateFeedback(database, id, { state: 'CLOSED', note: undefined, accountId });
  const closed = await database.selectFrom('feedback').select('sender').execute();
  expect(closed.map(({ sender }) => sender)).toEqual([null, null]);
});

test('a message is deleted completely, and the audit trail names the administrator', async () => {
  const id = await send({ image: image(10) });
  await deleteFeedback(database, id, { accountId, requestId: 'r' });
  await expect(getFeedback(database, id)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  await expect(getFeedbackImage(database, id)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  const again = deleteFeedback(database, id, { accountId, requestId: 'r' });
  await expect(again).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  const trail = await database.selectFrom('feedback_audit').selectAll().where('feedback_id', '=', id).execute();
  expect(trail).toMatchObject([{ actor_account_id: accountId, action: 'delete', request_id: 'r' }]);
});

describe('the limit of one sender', () => {
  const codes = (results: PromiseSettledResult<number>[]): string[] =>
    results.map((one) => {
      if (one.status === 'fulfilled') return 'stored';
      return one.reason instanceof ServiceError ? one.reason.code : String(one.reason);
    });

  test('is 50 messages a day, even for concurrent requests; senders without an account share it per network', async () => {
    const burst = () =>
      Promise.allSettled(Array.from({ length: 20 }, (_, index) => send({}, SPACE, from(`203.0.113.${index}`))));
    const outcomes = [...(await burst()), ...(await burst()), ...(await burst())];
    expect(codes(outcomes).filter((code) => code === 'stored')).toHaveLength(50);
    expect(codes(outcomes).filter((code) => code === 'RATE_LIMITED')).toHaveLength(10);
    await expect(send({}, SPACE, from('203.0.113.1'))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: expect.any(Number),
    });
    // Neither another network nor an account in the same network is limited.
    await send({}, SPACE, from('203.0.114.1'));
    await send({}, SPACE, { ...signedIn, clientIp: '203.0.113.1' });
    await sql`update feedback set submitted_at = submitted_at - interval '1 day'`.execute(database);
    await send({}, SPACE, from('203.0.113.1'));
  });

  test('is a twentieth of the space for images, even for concurrent requests', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => send({ image: image(2 * MIB) }, 200 * MIB, from('203.0.113.1'))),
    );
    expect(codes(outcomes).filter((code) => code === 'stored')).toHaveLength(5);
    await expect(send({ image: image(1) }, 200 * MIB, from('203.0.113.2'))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('without its image'),
    });
    await send({}, 200 * MIB, from('203.0.113.2'));
  });

  test('allows at least one image of the maximum size', async () => {
    await send({ image: image(5 * MIB) }, 20 * MIB);
    await expect(send({ image: image(1) }, 20 * MIB)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

test('senders without an account share half of the space for images, and accounts can use the rest', async () => {
  await send({ image: image(300) }, SPACE, from('203.0.113.1'));
  await send({ image: image(200) }, SPACE, from('203.0.114.1'));
  await expect(send({ image: image(1) }, SPACE, from('203.0.115.1'))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringContaining('without an account'),
  });
  await send({ image: image(500) });
});

test('unknown feedback and missing images return FEEDBACK_NOT_FOUND', async () => {
  const id = await send();
  await expect(getFeedbackImage(database, id)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  for (const ask of [getFeedback, getFeedbackImage]) {
    await expect(ask(database, 999_999)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
  }
  const change = { state: 'CLOSED', note: undefined, accountId } as const;
  await expect(updateFeedback(database, 999_999, change)).rejects.toMatchObject({ code: 'FEEDBACK_NOT_FOUND' });
});

test('feedback is listed newest first, by state, in pages', async () => {
  const ids: number[] = [];
  for (let index = 0; index < 5; index += 1) ids.push(await send({ subject: String(index) }));
  const [first = 0, second = 0] = ids;
  await updateFeedback(database, first, { state: 'CLOSED', note: undefined, accountId });
  await updateFeedback(database, second, { state: 'IN_PROGRESS', note: undefined, accountId });
  const list = async (state?: 'OPEN' | 'IN_PROGRESS' | 'CLOSED', skip = 0, limit = 10) => {
    const { feedback, total } = await findFeedback(database, { state, skip, limit });
    return [total, feedback.map(({ id }) => id)];
  };
  expect(await list()).toEqual([5, [...ids].reverse()]);
  expect(await list(undefined, 1, 2)).toEqual([5, [ids[3], ids[2]]]);
  expect(await list('OPEN')).toEqual([3, ids.slice(2).reverse()]);
  expect(await list('CLOSED')).toEqual([1, [first]]);
  expect(await list('IN_PROGRESS')).toEqual([1, [second]]);
  expect(await list('OPEN', 100)).toEqual([3, []]);
});

test('a note remains until it is replaced', async () => {
  const id = await send();
  const changed = await updateFeedback(database, id, { state: 'IN_PROGRESS', note: 'Looking.', accountId });
  expect(changed).toMatchObject({ state: 'IN_PROGRESS', note: 'Looking.', changedBy: accountId });
  expect(changed.changedAt).toEqual(expect.any(Date));
  expect(await updateFeedback(database, id, { state: 'CLOSED', note: undefined, accountId })).toMatchObject({
    state: 'CLOSED',
    note: 'Looking.',
  });
});

describe('feedback is refused', () => {
  test.each<[string, Partial<NewFeedback>, string]>([
    ['no message', { message: '' }, 'INVALID_PARAMETER'],
    ['a long message', { message: 'x'.repeat(10_001) }, 'INVALID_PARAMETER'],
    ['a long name', { name: 'x'.repeat(201) }, 'INVALID_PARAMETER'],
    ['a long category', { category: 'x'.repeat(61) }, 'INVALID_PARAMETER'],
    ['a long subject', { subject: 'x'.repeat(201) }, 'INVALID_PARAMETER'],
    ['a large image', { image: image(5 * 1024 * 1024 + 1) }, 'PAYLOAD_TOO_LARGE'],
  ])('for %s', async (_, feedback, code) => {
    await expect(send(feedback, 1e9)).rejects.toMatchObject({ code });
    expect((await findFeedback(database, { state: undefined, skip: 0, limit: 1 })).total).toBe(0);
  });

  test('if its image exceeds the space for images, until feedback is closed', async () => {
    const id = await send({ image: image(600) });
    await send({ image: image(400) });
    await expect(send({ image: image(1) })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await send();
    await updateFeedback(database, id, { state: 'CLOSED', note: undefined, accountId });
    await send({ image: image(600) });
  });
});

test('an image of the maximum size is stored', async () => {
  const id = await send({ image: image(5 * 1024 * 1024) }, 1e9);
  expect((await getFeedbackImage(database, id)).content).toHaveLength(5 * 1024 * 1024);
});
