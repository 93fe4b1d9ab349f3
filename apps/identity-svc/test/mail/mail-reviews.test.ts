import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { RecordReviewed } from '@esd/proto/esd/events/v1/record_reviewed';
import { startNats, type TestNats } from '@esd/testing/nats';
import { writeMail } from '../../src/mail/mail-text.ts';
import { queueReviewMails } from '../../src/mail/queue-review-mails.ts';
import { decodeRecordReviewed } from '../../src/mail/record-reviewed.event.ts';
import { type AccountsUnderTest, GRACE, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import { call } from '../identity-service.ts';

let nats: TestNats;
let accounts: AccountsUnderTest;
let accountId: string;
beforeAll(async () => {
  nats = await startNats();
  accounts = await startAccounts(nats.config);
  const { assertions } = await registerVerified(accounts);
  accountId = (await accounts.client.getOwnAccount({}, call(assertions))).account?.id ?? '';
});
afterAll(async () => {
  await accounts.stop();
  await nats.dispose();
});

const reviewed = (changes: Partial<RecordReviewed> = {}) =>
  RecordReviewed.encode({
    accountId,
    decisions: [
      { recordId: 7, recordRevision: 1, approved: true },
      { recordId: 8, recordRevision: 2, approved: false, reason: 'The <voltage> is missing; "12" what?' },
    ],
    reviewedAt: new Date(),
    ...changes,
  }).finish();
const take = (...events: Uint8Array[]) => queueReviewMails(accounts.database, events.map(decodeRecordReviewed));
const reviewMails = () =>
  accounts.mailServer.received.filter(({ subject }) =>
    /reviewed$|^Record \d+ was (?:published|rejected)$/.test(subject),
  );

describe('a decision batch', () => {
  test('produces one mail with every record, decision and reason, even if the event is redelivered', async () => {
    const event = reviewed();
    await take(event, event);
    await take(event);
    const mail = await accounts.nextMail(GRACE.email);
    expect(mail.subject).toBe('2 of your records were reviewed');
    expect(mail.link?.pathname).toBe('/account');
    expect(mail.source).toContain(
      '- Record 7: approved\r\n- Record 8: rejected. Reason: The <voltage> is missing; "12" what?',
    );
    expect(mail.source).toContain(
      '<li>Record 8: rejected. Reason: The &lt;voltage&gt; is missing; &quot;12&quot; what?</li>',
    );
    await take(event);
    await accounts.allSent();
    expect(reviewMails()).toHaveLength(1);
    const stored = await accounts.database
      .selectFrom('mail')
      .select('decisions')
      .where('kind', '=', 'records-reviewed')
      .execute();
    expect(stored).toEqual([{ decisions: null }]);
  });

  test('produces a mail only for an existing, verified, enabled account, and only for a week', async () => {
    const before = reviewMails().length;
    const set = (changes: { enabled?: boolean; email_verified?: boolean }) =>
      accounts.database.updateTable('account').set(changes).where('id', '=', accountId).execute();
    await take(reviewed({ accountId: randomUUID() }));
    await take(reviewed({ reviewedAt: new Date(Date.now() - 8 * 86_400_000) }));
    await accounts.allSent();
    await set({ enabled: false });
    await take(reviewed({ reviewedAt: new Date(Date.now() - 1_000) }));
    await accounts.allSent();
    await set({ enabled: true, email_verified: false });
    await take(reviewed({ reviewedAt: new Date(Date.now() - 2_000) }));
    await accounts.allSent();
    await set({ email_verified: true });
    expect(reviewMails()).toHaveLength(before);
    await take(reviewed({ reviewedAt: new Date(Date.now() - 3_000) }));
    await accounts.nextMail(GRACE.email);
  });

  test.each([
    ['bytes that are not an event', new Uint8Array([255, 255, 255])],
    [
      'no account',
      RecordReviewed.encode({
        accountId: '',
        decisions: [{ recordId: 1, recordRevision: 1, approved: true }],
        reviewedAt: new Date(),
      }).finish(),
    ],
    ['no decision', RecordReviewed.encode({ accountId: randomUUID(), decisions: [], reviewedAt: new Date() }).finish()],
    [
      'no time',
      RecordReviewed.encode({
        accountId: randomUUID(),
        decisions: [{ recordId: 1, recordRevision: 1, approved: true }],
        reviewedAt: undefined,
      }).finish(),
    ],
  ])('with %s is rejected, so it becomes a dead letter', (_case, bytes) => {
    expect(() => decodeRecordReviewed(bytes)).toThrow();
  });
});

test('a reason shared by several records appears once', () => {
  const decisions = [3, 4, 5, 6].map((recordId) => ({
    recordId,
    approved: recordId === 4,
    ...(recordId === 4 ? {} : { reason: 'No unit.' }),
  }));
  const { text } = writeMail({ about: 'records-reviewed', decisions, publicUrl: 'https://esd.example.org' });
  expect(text).toContain('- Records 3, 5, 6: rejected. Reason: No unit.\n- Record 4: approved\n');
});

test('an event from JetStream produces a mail', async () => {
  const before = reviewMails().length;
  const body = reviewed({ decisions: [{ recordId: 9, recordRevision: 1, approved: true }] });
  await accounts.database
    .transaction()
    .execute((transaction) => addToOutbox(transaction, [{ subject: SUBJECTS.recordReviewed, body }]));
  const mail = await accounts.nextMail(GRACE.email);
  expect(mail.subject).toBe('Record 9 was published');
  expect(reviewMails()).toHaveLength(before + 1);
});

test.each([
  [{ approved: true }, 'Record 850 was published'],
  [{ approved: false, reason: 'No unit.' }, 'Record 850 was rejected'],
  [{ approved: false, change: 'withdrawn', reason: 'Wrong paper.' }, 'Record 850 was withdrawn'],
  [{ approved: false, change: 'restored' }, 'Record 850 awaits review again'],
  [{ approved: false, change: 'reopened' }, 'Record 850 awaits review again'],
] as const)('the mail about one record with %j has one link, to the record', (decision, subject) => {
  const before = { recordId: 850, approved: false, reason: 'Earlier.' };
  const publicUrl = 'https://lab.example.org/esd';
  const address = `${publicUrl}/account?record=850`;
  for (const decisions of [[{ recordId: 850, ...decision }], [before, { recordId: 850, ...decision }]]) {
    const mail = writeMail({ about: 'records-reviewed', decisions, publicUrl });
    expect(mail.subject).toBe(subject);
    expect(mail.text.match(/https?:\S+/g)).toEqual([address]);
    expect(mail.html).toContain(`<a href="${address}">${address}</a>`);
  }
});
