import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '@esd/service/health/log';
import { eventually } from '@esd/testing/eventually';
import type { MailSender } from '../../src/mail/mail-sender.ts';
import { deleteExpiredMails } from '../../src/mail/delete-expired-mails.ts';
import { folderTransport, smtpTransport } from '../../src/mail/mail-transport.ts';
import { GRACE } from '../accounts-by-mail.ts';
import { call, codeOf, type IdentityUnderTest, startIdentity } from '../identity-service.ts';
import { type MailServer, readMail, sendMails, startMailServer } from '../mail-server.ts';

let identity: IdentityUnderTest;
let server: MailServer;
const senders: MailSender[] = [];
beforeAll(async () => {
  identity = await startIdentity();
});
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.stop();
  await server.stop();
  await identity.database.deleteFrom('account').execute();
});
afterAll(() => identity.stop());

const startSender = (giveUpHours?: number): MailSender => {
  const sender = sendMails(identity.database, identity.databaseUrl, server.url, giveUpHours);
  senders.push(sender);
  return sender;
};
const register = (email: string) => identity.client.register({ ...GRACE, email }, call());
const onlyMail = () => identity.database.selectFrom('mail').selectAll().executeTakeFirstOrThrow();
const isUp = (sender: MailSender) =>
  sender.dependency.check(AbortSignal.timeout(60_000)).then(
    () => true,
    () => false,
  );
const linkWorks = (link: URL | undefined) =>
  codeOf(identity.client.verifyEmail({ token: link?.searchParams.get('token') ?? '' }, call()));

describe('an unreachable mail server', () => {
  test('delays no registration, and gets all mails when it is reachable again', async () => {
    await server.stop();
    const sender = startSender();
    for (const name of ['a', 'b', 'c']) await register(`${name}@example.org`);
    await eventually(async () => !(await isUp(sender)));
    await server.start();
    await eventually(() => server.received.length >= 3);
    await eventually(() => isUp(sender));
    expect(server.received.map(({ to }) => to).sort()).toEqual(['a@example.org', 'b@example.org', 'c@example.org']);
    for (const { link } of server.received) await expect(linkWorks(link)).resolves.toBe('OK');
  });

  test('makes the sender give up on mails after the configured time', async () => {
    await server.stop();
    await register('old@example.org');
    await identity.database
      .updateTable('mail')
      .set({ created_at: sql<Date>`now() - interval '25 hours'` })
      .execute();
    startSender();
    await eventually(async () => (await onlyMail()).given_up_at);
    await server.start();
    await register('new@example.org');
    await eventually(() => server.received[0]);
    expect(server.received.map(({ to }) => to)).toEqual(['new@example.org']);
  });
});

describe('a mail server that refuses mails', () => {
  test.each([
    [450, 'recipient'],
    [554, 'data'],
  ] as const)('with %i after the %s gets the same mail again later', async (code, when) => {
    server.refuse(code, when);
    const sender = startSender();
    await register('busy@example.org');
    const refused = await eventually(async () => {
      const mail = await onlyMail();
      return mail.attempts === 1 ? mail : undefined;
    });
    expect(refused.next_try_at.getTime() - refused.created_at.getTime()).toBeGreaterThan(5_000);
    expect(refused.last_error).toContain(String(code));
    await expect(isUp(sender)).resolves.toBe(true);
    server.refuse();
    await identity.database.updateTable('mail').set({ next_try_at: new Date() }).execute();
    const { link } = await eventually(() => server.received[0]);
    await expect(linkWorks(link)).resolves.toBe('OK');
  });

  test('because of an unknown recipient gets no retry, and other mails are not delayed', async () => {
    server.refuse(550);
    startSender();
    await register('unknown@example.org');
    const mail = await eventually(async () => {
      const row = await onlyMail();
      return row.given_up_at ? row : undefined;
    });
    expect(mail.last_error).toContain('550');
    server.refuse();
    await register('known@example.org');
    await eventually(() => server.received[0]);
    await register('last@example.org');
    await eventually(() => server.received[1]);
    expect(server.received.map(({ to }) => to)).toEqual(['known@example.org', 'last@example.org']);
  });

  test('repeatedly gets retries at increasing intervals', async () => {
    server.refuse(451);
    startSender();
    let earliest = Date.now();
    await register('slow@example.org');
    for (const [attempts, waitMs] of [
      [1, 10_000],
      [2, 20_000],
      [3, 40_000],
    ] as const) {
      const mail = await eventually(async () => {
        const row = await onlyMail();
        return row.attempts === attempts ? row : undefined;
      });
      const triedAt = mail.next_try_at.getTime() - waitMs;
      expect([triedAt >= earliest - 1_000, triedAt <= Date.now() + 1_000]).toEqual([true, true]);
      earliest = Date.now();
      await identity.database.updateTable('mail').set({ next_try_at: new Date() }).execute();
      await identity.client.forgotPassword({ email: 'wakes@example.org' }, call());
    }
  });
});

describe('two replicas', () => {
  test('send each mail once', async () => {
    startSender();
    startSender();
    await Promise.all(Array.from({ length: 20 }, (_, index) => register(`replica${index}@example.org`)));
    await eventually(() => server.received.length >= 20);
    await register('last@example.org');
    await eventually(() => server.received.find(({ to }) => to === 'last@example.org'));
    expect(new Set(server.received.map(({ to }) => to)).size).toBe(21);
    expect(server.received).toHaveLength(21);
  });

  test('continue to send mails when the sending replica stops', async () => {
    const first = startSender();
    await register('first@example.org');
    await eventually(() => server.received[0]);
    startSender();
    await first.stop();
    await register('second@example.org');
    await eventually(() => server.received[1]);
  });
});

test('a mail that is sent again contains a new link, and the old link fails', async () => {
  startSender();
  await register('crash@example.org');
  const first = await eventually(() => server.received[0]);
  await eventually(async () => (await onlyMail()).sent_at);
  // Simulates a crash after the server accepted the mail and before the mail is marked as sent.
  await identity.database.updateTable('mail').set({ sent_at: null }).execute();
  await identity.client.forgotPassword({ email: 'wakes@example.org' }, call());
  const second = await eventually(() => server.received[1]);
  await expect(linkWorks(first.link)).resolves.toBe('TOKEN_INVALID');
  await expect(linkWorks(second.link)).resolves.toBe('OK');
});

test('the folder transport writes mails to files and logs no links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'esd-mail-'));
  const lines: unknown[] = [];
  const log = createLog('identity-svc', 'silent');
  log.info = (...line: unknown[]) => lines.push(line);
  const transport = folderTransport(join(folder, 'mail'), 'no-reply@example.org', log);
  const mail = {
    id: '7b0e6a3c-0000-4000-8000-000000000000',
    to: 'grace@example.org',
    createdAt: new Date(0),
    subject: 'Ünïcode',
    text: 'https://example.org/auth/verify-email?token=x\n',
    html: '<p>x</p>',
  };
  await transport.send(mail, AbortSignal.timeout(60_000));
  await transport.send(mail, AbortSignal.timeout(60_000));
  const files = await readdir(join(folder, 'mail'));
  expect(files).toEqual(['1970-01-01T00-00-00-000Z-7b0e6a3c-0000-4000-8000-000000000000.eml']);
  const { link, raw, source } = readMail('', await readFile(join(folder, 'mail', files[0] ?? ''), 'utf8'));
  expect(link?.href).toBe('https://example.org/auth/verify-email?token=x');
  expect(raw.split('\r\n')).toContain(mail.text.trim());
  expect(source).toMatch(/^To: grace@example.org\r?$/m);
  expect(JSON.stringify(lines)).toContain('.eml');
  expect(JSON.stringify(lines)).not.toContain('token=');
  transport.close();
  await rm(folder, { recursive: true });
});

test('a link is complete in the bytes of a mail, and texts with other characters arrive unchanged', async () => {
  const link = `https://dataset.example.org/auth/verify-email?token=AB${'x'.repeat(41)}`;
  const transport = smtpTransport(server.url, 'no-reply@example.org');
  const mail = { id: randomUUID(), to: 'grace@example.org', createdAt: new Date(0), subject: 'Link' };
  const signal = AbortSignal.timeout(60_000);
  await transport.send(
    { ...mail, text: `Follow\n\n${link}\n`, html: `<p><a href="${link}">${link}</a></p>\n` },
    signal,
  );
  await transport.send(
    { ...mail, text: `Poly(ε-caprolactone)\n\n${link}\n`, html: '<p>Poly(ε-caprolactone)</p>' },
    signal,
  );
  await transport.send({ ...mail, text: `${'long '.repeat(300)}\n`, html: '<p>x</p>' }, signal);
  transport.close();
  const [plain, encoded, long] = server.received;
  expect(plain?.raw.split('\r\n')).toEqual(expect.arrayContaining([link, `<p><a href="${link}">${link}</a></p>`]));
  expect(plain?.raw).toMatch(/^Content-Transfer-Encoding: 7bit\r$/m);
  expect(plain?.link?.href).toBe(link);
  expect(encoded?.source).toContain('Poly(ε-caprolactone)');
  expect(encoded?.link?.href).toBe(link);
  expect(Math.max(...(long?.raw ?? '').split('\r\n').map((line) => line.length))).toBeLessThan(999);
  expect(long?.source).toContain('long '.repeat(300).trim());
});

test('unverified accounts are deleted after a week, and verified accounts remain', async () => {
  for (const name of ['old', 'verified', 'new']) await register(`${name}@example.org`);
  await identity.database
    .updateTable('account')
    .set({ email_verified: true })
    .where('email', '=', 'verified@example.org')
    .execute();
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
  await identity.database
    .updateTable('account')
    .set({ created_at: eightDaysAgo })
    .where('email', '<>', 'new@example.org')
    .execute();
  await deleteExpiredMails(identity.database);
  const emails = () => identity.database.selectFrom('account').select('email').orderBy('email').execute();
  // The mail with its valid link is less than a week old.
  await expect(emails()).resolves.toHaveLength(3);
  await identity.database.updateTable('mail').set({ created_at: eightDaysAgo }).execute();
  await deleteExpiredMails(identity.database);
  await expect(emails()).resolves.toEqual([{ email: 'new@example.org' }, { email: 'verified@example.org' }]);
});
