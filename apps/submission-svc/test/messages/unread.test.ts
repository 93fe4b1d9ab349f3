import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { addMessage, listMessages, markRead } from '../../src/messages/messages.ts';
import { countModeration, countUnread, findUnreadThreads, needsAnswer } from '../../src/messages/unread.store.ts';
import { rejectRecords } from '../../src/review/review.ts';
import { reopenRecord } from '../../src/review/withdraw.ts';
import { admin, moderator, noImages, openTestDatabase, reviewBy, storeRecords, user } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

type Step =
  | { act: 'write'; who: 'owner' | 'moderator' }
  | { act: 'mark'; who: 'owner' | 'moderator'; at: number }
  | { act: 'decide' };

const side = fc.constantFrom('owner' as const, 'moderator' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('write' as const), who: side }) },
  fc.record({ act: fc.constant('mark' as const), who: side, at: fc.nat(20) }),
  fc.constant({ act: 'decide' as const }),
);

/** Applies the steps to a list of messages with the readers of each, as the specification says. */
function model(steps: readonly Step[]) {
  const messages: { from: 'owner' | 'moderator'; isRead: boolean }[] = [];
  for (const one of steps) {
    if (one.act === 'write') {
      for (const message of messages) if (message.from !== one.who) message.isRead = true;
      messages.push({ from: one.who, isRead: false });
    } else if (one.act === 'mark') {
      const marked = messages.slice(0, (one.at % Math.max(messages.length, 1)) + 1);
      for (const message of marked) if (message.from !== one.who) message.isRead = true;
    } else {
      for (const message of messages) if (message.from === 'owner') message.isRead = true;
    }
  }
  const unread = (from: 'owner' | 'moderator') =>
    messages.filter((message) => message.from === from && !message.isRead).length;
  return { byOwner: unread('moderator'), byModerators: unread('owner') };
}

test('a message is unread until the other side writes, marks it, or a moderator decides', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const [id = 0] = await storeRecords(database, 1);
      let isPending = true;
      for (const one of steps) {
        const caller = 'who' in one && one.who === 'owner' ? user : moderator;
        if (one.act === 'write') await addMessage(database, id, 'Text.', caller);
        else if (one.act === 'mark') {
          const thread = await listMessages(database, id, caller);
          const upTo = thread[one.at % Math.max(thread.length, 1)]?.id;
          if (upTo !== undefined) expect(await markRead(database, id, upTo, caller)).toBe(true);
        } else if (isPending) {
          await rejectRecords(database, [{ recordId: id, entityTags: [] }], 'Why.', reviewBy(moderator));
          isPending = false;
        } else {
          await reopenRecord(database, { recordId: id, entityTags: [] }, reviewBy(moderator));
          isPending = true;
        }
      }
      const found = (await countUnread(database, [id])).get(id) ?? { byOwner: 0, byModerators: 0 };
      expect(found).toEqual(model(steps));
    }),
  );
});

test('only unread messages about a record that is not published need an answer', () => {
  expect(needsAnswer('PENDING', 1)).toBe(true);
  expect(needsAnswer('REJECTED', 2)).toBe(true);
  expect(needsAnswer('APPROVED', 1)).toBe(false);
  expect(needsAnswer('NEEDS_UPDATE', 0)).toBe(false);
});

test('an account sees at most 100 threads, newest message first, and the number of all messages', async () => {
  const owner = { ...user, accountId: '0190d2b0-0000-7000-d000-000000000001' };
  const before = await countModeration(database);
  const ids = await storeRecords(database, 103, owner);
  for (const id of ids) await addMessage(database, id, 'Which solvent?', moderator);
  const [first = 0, second = 0] = ids;
  await addMessage(database, first, 'And the needle?', admin);
  await addMessage(database, second, 'DMF.', owner);
  const { messages, threads } = await findUnreadThreads(database, owner.accountId);
  expect(messages).toBe(103);
  expect(threads).toHaveLength(100);
  expect(threads.map(({ recordId }) => recordId)).toEqual([first, ...ids.slice(2).toReversed()].slice(0, 100));
  expect(threads[0]).toMatchObject({ recordId: first, messages: 2, needsAnswer: true });
  expect(await findUnreadThreads(database, admin.accountId)).toEqual({ messages: 0, threads: [] });
  const after = await countModeration(database);
  expect([after.waiting - before.waiting, after.answered - before.answered]).toEqual([103, 1]);
});

test('a mark never goes back, and needs a message of the same thread', async () => {
  const [id = 0, other = 0] = await storeRecords(database, 2);
  const { id: older } = await addMessage(database, id, 'One?', moderator);
  const { id: newer } = await addMessage(database, id, 'Two?', moderator);
  const { id: elsewhere } = await addMessage(database, other, 'Three?', moderator);
  const unread = async () => (await countUnread(database, [id])).get(id)?.byOwner ?? 0;
  expect(await markRead(database, id, elsewhere, user)).toBe(false);
  expect(await unread()).toBe(2);
  expect(await markRead(database, id, newer, user)).toBe(true);
  expect(await markRead(database, id, older, user)).toBe(true);
  expect(await unread()).toBe(0);
  await expect(markRead(database, id, newer, { ...user, accountId: admin.accountId })).rejects.toMatchObject({
    code: 'RECORD_NOT_FOUND',
  });
});

test('deleting the account of the owner deletes the marks', async () => {
  const owner = { ...user, accountId: '0190d2b0-0000-7000-d000-000000000002' };
  const [id = 0] = await storeRecords(database, 1, owner);
  const { id: message } = await addMessage(database, id, 'Which solvent?', moderator);
  await markRead(database, id, message, owner);
  await eraseAccount({ database, images: noImages }, { accountId: owner.accountId, deletedAt: new Date() });
  expect(await database.selectFrom('read_mark').selectAll().where('record_id', '=', id).execute()).toEqual([]);
});
