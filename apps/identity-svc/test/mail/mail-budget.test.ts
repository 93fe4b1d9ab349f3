import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { eventually } from '@esd/testing/eventually';
import { queueReviewMails } from '../../src/mail/queue-review-mails.ts';
import { decodeRecordReviewed } from '../../src/mail/record-reviewed.event.ts';
import { GRACE, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import { call } from '../identity-service.ts';

const accounts = await startAccounts();
const { assertions } = await registerVerified(accounts);
const accountId = (await accounts.client.getOwnAccount({}, call(assertions))).account?.id ?? '';
afterAll(() => accounts.stop());

const decide = (recordId: number) => {
  const decisions = [{ recordId, recordRevision: 1, approved: true }];
  const event = RecordReviewed.encode({ accountId, decisions, reviewedAt: new Date() }).finish();
  return queueReviewMails(accounts.database, [decodeRecordReviewed(event)]);
};
const received = (subject: string) => accounts.mailServer.received.filter((mail) => mail.subject.includes(subject));
const decisions = () => accounts.mailServer.received.filter(({ subject }) => /reviewed$|published$/.test(subject));
const waitingMails = () =>
  accounts.database
    .selectFrom('mail')
    .select(['kind', 'next_try_at'])
    .where('sent_at', 'is', null)
    .orderBy('next_try_at')
    .execute();
/** Simulates that an hour has passed. */
const anHourLater = async () => {
  const earlier = (column: string) => sql<Date>`${sql.ref(column)} - interval '1 hour'`;
  await accounts.database
    .updateTable('mail')
    .set({ sent_at: earlier('sent_at'), next_try_at: earlier('next_try_at'), created_at: earlier('created_at') })
    .execute();
};

describe('a stranger who requests password resets', () => {
  test('cannot fill a mailbox or suppress a mail about a decision', async () => {
    for (let i = 0; i < 15; i++) await accounts.client.forgotPassword({ email: GRACE.email }, call());
    await eventually(async () => (await waitingMails()).length === 0);
    expect(received('Choose a new password').length).toBeLessThanOrEqual(10);
    await decide(1);
    await eventually(() => decisions()[0]);
  });
});

test('mails about decisions beyond the limit are postponed and merged, and none is lost', async () => {
  await anHourLater();
  await accounts.database.deleteFrom('mail').execute();
  accounts.mailServer.received.length = 0;
  for (let record = 101; record <= 110; record++) {
    await decide(record);
    await eventually(() => decisions().length === record - 100);
  }
  for (let record = 111; record <= 115; record++) await decide(record);
  const isPostponed = async () => {
    const waiting = await waitingMails();
    return waiting.length === 5 && waiting.every(({ next_try_at }) => next_try_at.getTime() > Date.now() + 60_000);
  };
  await eventually(isPostponed);
  expect(decisions()).toHaveLength(10);
  await anHourLater();
  await decide(116);
  await eventually(() => decisions()[10]);
  await eventually(async () => (await waitingMails()).length === 0);
  const bundles = decisions().slice(10);
  expect(bundles.length).toBeLessThanOrEqual(2);
  const text = bundles.map(({ source }) => source).join('\n');
  for (let record = 111; record <= 116; record++) expect(text).toMatch(new RegExp(`Records? [0-9, ]*${record}`));
});
