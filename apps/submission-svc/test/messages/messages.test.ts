import { afterAll, expect, test } from '@jest/globals';
import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { eraseAccount } from '../../src/account/erase-account.ts';
import { addMessage, listMessages } from '../../src/messages/messages.ts';
import { approveRecords } from '../../src/review/review.ts';
import {
  admin,
  moderator,
  noImages,
  openTestDatabase,
  reviewBy,
  storeAnonymous,
  storeRecords,
  user,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const write = (id: number, caller: Caller, text = 'Which solvent?') => addMessage(database, id, text, caller);
const read = (id: number, caller: Caller) => listMessages(database, id, caller);
const events = async () =>
  (
    await database
      .selectFrom('outbox')
      .select('body')
      .where('subject', '=', 'esd.record.message.v1')
      .orderBy('sequence')
      .execute()
  ).map(({ body }) => RecordMessage.decode(body));
const erase = (caller: Caller) =>
  eraseAccount({ database, images: noImages }, { accountId: caller.accountId, deletedAt: new Date() });
const account = (last: number, role: Caller['role'] = 'USER'): Caller => ({
  ...user,
  accountId: `0190d2b0-0000-7000-c000-${String(last).padStart(12, '0')}`,
  role,
});

test('owner and moderators read each other’s messages, and the right accounts are notified', async () => {
  const [id = 0] = await storeRecords(database, 1);
  // No moderator has written yet, so no account is notified.
  await write(id, user, 'Hello?');
  expect(await events()).toEqual([]);
  await write(id, moderator);
  await write(id, admin, 'And which needle?');
  await write(id, { ...user, credential: 'pat' }, 'DMF.');
  expect((await read(id, user)).map(({ text, fromOwner, mine }) => [text, fromOwner, mine])).toEqual([
    ['Hello?', true, true],
    ['Which solvent?', false, false],
    ['And which needle?', false, false],
    ['DMF.', true, true],
  ]);
  expect((await read(id, moderator)).map(({ mine }) => mine)).toEqual([false, true, false, false]);
  expect((await events()).map(({ accountIds, toModerators }) => [accountIds.toSorted(), toModerators])).toEqual([
    [[user.accountId], false],
    [[user.accountId], false],
    [[admin.accountId, moderator.accountId].toSorted(), true],
  ]);
  for (const event of await events()) expect(JSON.stringify(event)).not.toMatch(/solvent|DMF/);
});

test('other accounts get RECORD_NOT_FOUND, and so do all accounts for a record without an owner', async () => {
  const [id = 0] = await storeRecords(database, 1);
  const { recordIds } = await storeAnonymous(database, 1);
  const unseen: [number, Caller][] = [
    [id, account(1)],
    // A personal access token of a moderator.
    [id, { ...moderator, role: 'USER', credential: 'pat' }],
    [recordIds[0] ?? 0, moderator],
    [recordIds[0] ?? 0, user],
    [999_999, admin],
  ];
  for (const [recordId, caller] of unseen) {
    await expect(read(recordId, caller)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    await expect(write(recordId, caller)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
  }
});

test('a record has at most 50 messages, even with concurrent writers', async () => {
  const [id = 0] = await storeRecords(database, 1);
  for (let count = 0; count < 45; count += 1) await write(id, user);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => write(id, moderator)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(write(id, user)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('50') });
  expect(await read(id, user)).toHaveLength(50);
  for (const text of ['', 'x'.repeat(2_001)]) {
    await expect(write(id, user, text)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  }
});

test('deleting the owner deletes the thread; deleting a moderator erases only the author', async () => {
  const owner = account(2);
  const reviewer = account(3, 'MODERATOR');
  const [mine = 0] = await storeRecords(database, 1, owner);
  const [others = 0] = await storeRecords(database, 1);
  await approveRecords(database, [{ recordId: mine }], reviewBy(admin));
  for (const id of [mine, others]) await write(id, reviewer);
  await erase(reviewer);
  expect(await read(others, user)).toMatchObject([{ text: 'Which solvent?', fromOwner: false }]);
  const authors = await database
    .selectFrom('message')
    .select('author_account_id')
    .where('record_id', '=', others)
    .execute();
  expect(authors).toEqual([{ author_account_id: null }]);
  await expect(write(others, reviewer)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  await erase(owner);
  expect(await database.selectFrom('message').select('id').where('record_id', '=', mine).execute()).toEqual([]);
  await expect(read(mine, admin)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
});
