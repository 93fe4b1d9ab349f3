import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import { addAccount } from './support/accounts.ts';
import { login, newAdmin } from './support/admin.ts';
import { apiAt } from './support/api.ts';
import { submitRecords } from './support/dataset.ts';
import { type Mail, mailSaying, mailsTo, sendDelayedMails } from './support/mail.ts';
import { newAddress } from './support/new-address.ts';

const OWNER = newAddress('writes');
const MODERATOR = newAddress('asks');
const TEXT = 'Which solvent <b>did</b> you use?';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let owner: string;
let moderator: string;
beforeAll(async () => {
  const { who } = await newAdmin(stack, api);
  owner = await login(api, (await addAccount(stack, who, OWNER)).who);
  moderator = await login(api, (await addAccount(stack, who, MODERATOR, 'MODERATOR')).who);
});

const thread = z.array(z.looseObject({ from: z.string(), mine: z.boolean() }));
const patOf = async (bearer: string) => {
  const answer = await api.post('/auth/tokens', { name: 'messages', expiresInDays: 30 }, { bearer });
  return z.object({ token: z.string() }).parse(answer.json).token;
};
const write = (id: number, bearer: string, text = TEXT) =>
  api.post(`/data/records/${id}/messages`, { text }, { bearer });
/** Expects that text and HTML of a mail have one address, under the public one. */
function expectOneLink({ source, link }: Mail, path: string): void {
  const address = `${stack.url}${path}`;
  expect(link?.href).toBe(address);
  expect(new Set(source.match(/https?:[^\s"<]+/g))).toEqual(new Set([address]));
}
const read = (id: number, bearer: string) => api.get(`/data/records/${id}/messages`, { bearer });

test('owner and moderator write to each other; both are notified by mail, once an hour and without the text', async () => {
  const [id = 0] = await submitRecords(api, smallSubmission(), owner);
  expect((await read(id, owner)).json).toEqual([]);
  const written = await write(id, moderator);
  expect([written.status, written.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(written.json).toMatchObject({ from: 'moderator', mine: true, text: TEXT });
  const notification = await mailSaying(stack.dataDir, OWNER, `Subject: A question about record ${id}`);
  expectOneLink(notification, `/account?record=${id}`);
  for (const hidden of ['solvent', MODERATOR]) expect(notification.source).not.toContain(hidden);

  const pat = await patOf(owner);
  expect((await write(id, pat, 'DMF.')).status).toBe(201);
  const answered = await mailSaying(stack.dataDir, MODERATOR, `Subject: An answer on record ${id}`);
  expectOneLink(answered, `/moderate?record=${id}`);
  for (const hidden of ['DMF', OWNER]) expect(answered.source).not.toContain(hidden);
  const review = async () => (await api.get(`/moderation/records/${id}`, { bearer: moderator })).json;
  expect(await review()).toMatchObject({ unread: 1, answered: true });
  for (let times = 0; times < 3; times += 1) expect((await write(id, moderator)).status).toBe(201);
  expect(await review()).toMatchObject({ unread: 0, answered: false });
  expect(thread.parse((await read(id, pat)).json).map(({ from, mine }) => [from, mine])).toEqual([
    ['moderator', false],
    ['owner', true],
    ...Array.from({ length: 3 }, () => ['moderator', false]),
  ]);
  const answer = await read(id, owner);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).not.toMatch(/accountId|@/);
  const [marker = 0] = await submitRecords(api, smallSubmission(), owner);
  expect((await write(marker, moderator)).status).toBe(201);
  await mailSaying(stack.dataDir, OWNER, `A question about record ${marker}`);
  const mails = await mailsTo(stack.dataDir, OWNER);
  expect(mails.filter(({ source }) => source.includes(`A question about record ${id}\r`))).toHaveLength(1);
});

test('a mail about a decision has the link of its record', async () => {
  const [approved = 0, rejected = 0] = await submitRecords(api, smallSubmission(2), owner);
  const decide = (path: string, body: object) => api.post(`/moderation/${path}`, body, { bearer: moderator });
  expect((await decide('approve', { recordIds: [approved] })).status).toBe(200);
  await sendDelayedMails(stack);
  expectOneLink(
    await mailSaying(stack.dataDir, OWNER, `Subject: Record ${approved} was published`),
    `/account?record=${approved}`,
  );
  expect((await decide('reject', { recordIds: [rejected], reason: 'Incomplete.' })).status).toBe(200);
  await sendDelayedMails(stack);
  const mail = await mailSaying(stack.dataDir, OWNER, `Subject: Record ${rejected} was rejected`);
  expectOneLink(mail, `/account?record=${rejected}`);
  expect(mail.source).toContain('Incomplete.');
  expect(mail.source).not.toContain(MODERATOR);
});
