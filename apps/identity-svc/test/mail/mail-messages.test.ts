import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';
import { eventually } from '@esd/testing/eventually';
import { queueMessageMails } from '../../src/mail/queue-review-mails.ts';
import { writeMail } from '../../src/mail/mail-text.ts';
import { decodeRecordMessage } from '../../src/mail/record-message.event.ts';
import { GRACE, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import { call } from '../identity-service.ts';

const accounts = await startAccounts();
const { assertions } = await registerVerified(accounts);
const accountId = (await accounts.client.getOwnAccount({}, call(assertions))).account?.id ?? '';
afterAll(() => accounts.stop());

let messages = 0;
const event = (recordId: number, writtenAt = new Date()) =>
  RecordMessage.encode({
    recordId,
    messageId: (messages += 1),
    accountIds: [accountId],
    toModerators: false,
    writtenAt,
  }).finish();
const take = (...events: Uint8Array[]) => queueMessageMails(accounts.database, events.map(decodeRecordMessage));
const received = () => accounts.mailServer.received.filter(({ source }) => source.includes('has a question'));
const waiting = () =>
  accounts.database.selectFrom('mail').select(['record_id', 'next_try_at']).where('sent_at', 'is', null).execute();
const hoursLater = async (hours: number) => {
  const earlier = (column: string) => sql<Date>`${sql.ref(column)} - make_interval(hours => ${hours})`;
  await accounts.database
    .updateTable('mail')
    .set({ sent_at: earlier('sent_at'), next_try_at: earlier('next_try_at'), created_at: earlier('created_at') })
    .execute();
};

test('each record triggers at most one mail per hour, no mail is lost, and redelivered events have no effect', async () => {
  const first = event(7);
  await take(first, event(7));
  const mail = await accounts.nextMail(GRACE.email);
  expect(mail.subject).toBe('A question about record 7');
  expect(mail.link?.href).toMatch(/\/account\?record=7$/);
  await eventually(async () => (await waiting()).length === 0);
  await take(first);
  expect(await waiting()).toEqual([]);

  // Further messages in the thread of the record wait until the hour ends; those of another record do not wait.
  await take(event(7), event(7));
  expect(await waiting()).toEqual([{ record_id: 7, next_try_at: expect.any(Date) }]);
  await take(event(8));
  await eventually(() => received().length === 2);
  expect(received()[1]?.source).toContain('record 8');
  expect(received()[1]?.source).not.toContain('record 7');
  await eventually(async () => (await waiting()).length === 1);

  await hoursLater(1);
  await sql`select pg_notify('esd_mail', '')`.execute(accounts.database);
  await eventually(() => received().length === 3);
  expect(received()[2]?.source).toContain('record 7');
  await eventually(async () => (await waiting()).length === 0);
  await take(first);
  expect(await waiting()).toEqual([]);
});

test('old messages and messages to unknown accounts queue no mail', async () => {
  await take(event(9, new Date(Date.now() - 8 * 86_400_000)));
  const toUnknown = RecordMessage.encode({
    recordId: 9,
    messageId: 1,
    accountIds: ['0190d2b0-0000-7000-8000-00000000000f'],
    toModerators: true,
    writtenAt: new Date(),
  });
  await take(toUnknown.finish());
  expect(await waiting()).toEqual([]);
  expect(() => decodeRecordMessage(Buffer.from([8, 1]))).toThrow('incomplete');
});

test.each([
  [[{ recordId: '850', from: 'moderator' }], 'A question about record 850', '/account?record=850'],
  [[{ recordId: '850', from: 'owner' }], 'An answer on record 850', '/moderate?record=850'],
  [['850', '851'].map((recordId) => ({ recordId, from: 'moderator' })), 'Messages on 2 records', '/account'],
  [['850', '851'].map((recordId) => ({ recordId, from: 'owner' })), 'Messages on 2 records', '/moderate'],
])('the mail about %j has one link', (events, subject, path) => {
  const publicUrl = 'https://lab.example.org/esd';
  const mail = writeMail({ about: 'record-message', events, publicUrl });
  expect(mail.subject).toBe(subject);
  expect(mail.text.match(/https?:\S+/g)).toEqual([publicUrl + path]);
  expect(mail.html.match(/href="[^"]*"/g)).toEqual([`href="${publicUrl}${path}"`]);
});
