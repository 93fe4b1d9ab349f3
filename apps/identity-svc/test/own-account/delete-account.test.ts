import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';
import { GRACE, logIn, registerVerified, startAccounts } from '../accounts-by-mail.ts';
import { ADMIN, type Assertions, assertionsOf, call, codeOf, loginAdmin } from '../identity-service.ts';

const accounts = await startAccounts();
afterAll(() => accounts.stop());

const remove = (assertions: Assertions | undefined, password?: string) =>
  codeOf(accounts.client.deleteAccount({ password }, { ...call(assertions), clientIp: '192.0.2.7' }));
const bearerCode = (bearer: string) => codeOf(accounts.client.resolveBearer({ bearer }, call()));

/** Returns every row of every table with text columns, as JSON. */
async function rowsWith(text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'
  `.execute(accounts.database);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.table(name)} as t where to_jsonb(t)::text ilike ${`%${text}%`}
    `.execute(accounts.database);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

describe('a deletion', () => {
  test('immediately erases sessions, tokens and all personal data, and publishes an event', async () => {
    const who = { email: 'erased@example.org', password: 'a password of Erased', name: 'Erased Person' };
    const session = await registerVerified(accounts, who);
    const { secret } = await accounts.tokens.createToken({ name: 'script' }, call(session.assertions));
    const { account } = await accounts.client.getOwnAccount({}, call(session.assertions));
    const id = account?.id ?? '';
    await accounts.client.updateProfile({ name: 'Erased P.' }, { ...call(session.assertions), clientIp: '192.0.2.7' });
    await accounts.mailServer.stop();
    await accounts.client.forgotPassword({ email: who.email }, call());
    // A mail that was requested by email address and is not yet assigned to the account.
    const later = new Date(Date.now() + 3_600_000);
    await accounts.database
      .insertInto('mail')
      .values({ id: randomUUID(), kind: 'forgot-password', email_normalized: who.email, next_try_at: later })
      .execute();
    expect(await rowsWith('erased')).not.toEqual([]);

    await expect(remove(session.assertions, 'a wrong password')).resolves.toBe('BAD_CREDENTIALS');
    await expect(remove(undefined)).resolves.toBe('AUTH_REQUIRED');
    await expect(bearerCode(session.token)).resolves.toBe('OK');
    await expect(remove(session.assertions, who.password)).resolves.toBe('OK');
    await accounts.mailServer.start();

    await expect(bearerCode(session.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(bearerCode(secret)).resolves.not.toBe('OK');
    await expect(remove(session.assertions)).resolves.toBe('TOKEN_REVOKED');
    await expect(codeOf(logIn(accounts, who))).resolves.toBe('BAD_CREDENTIALS');
    const { refreshToken } = session;
    await expect(codeOf(accounts.client.refresh({ refreshToken }, call()))).resolves.toBe('TOKEN_INVALID');
    const confirmation = await accounts.nextMail(who.email, 'Your account was deleted');
    expect(confirmation.source).not.toContain('Erased P');
    // Marking the mail as sent deletes its address.
    await accounts.allSent();
    expect(await rowsWith('erased')).toEqual([]);
    expect((await rowsWith('192.0.2.7')).filter((row) => !row.startsWith('login_guess'))).toEqual([]);

    const events = await accounts.database.selectFrom('outbox').select(['subject', 'body']).execute();
    expect(events.map(({ subject }) => subject)).toEqual(['esd.account.deleted.v1']);
    const [event] = events.map(({ body }) => AccountDeleted.decode(body));
    const deleted = await accounts.database.selectFrom('deleted_account').selectAll().execute();
    expect(deleted).toEqual([{ account_id: id, deleted_at: event?.deletedAt }]);
    expect(event?.accountId).toBe(id);
  });

  test('requires no password, and makes the address available again', async () => {
    const first = await registerVerified(accounts);
    await expect(remove(first.assertions)).resolves.toBe('OK');
    const second = await registerVerified(accounts);
    await expect(bearerCode(first.token)).resolves.toBe('TOKEN_REVOKED');
    await expect(bearerCode(second.token)).resolves.toBe('OK');
  });

  test('with an access token requires the password', async () => {
    const who = { ...GRACE, email: 'script@example.org' };
    const session = await registerVerified(accounts, who);
    const { secret } = await accounts.tokens.createToken({ name: 'script' }, call(session.assertions));
    const assertions = await assertionsOf(accounts, secret);
    await expect(remove(assertions)).resolves.toBe('INVALID_REQUEST');
    await expect(remove(assertions, who.password)).resolves.toBe('OK');
    await expect(bearerCode(session.token)).resolves.toBe('TOKEN_REVOKED');
  });

  test('changes nothing when the event cannot be stored', async () => {
    const who = { ...GRACE, email: 'stays@example.org' };
    const session = await registerVerified(accounts, who);
    await sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$
    `.execute(accounts.database);
    await sql`create trigger refuse before insert on outbox execute function refuse()`.execute(accounts.database);
    await expect(remove(session.assertions)).resolves.toBe('INTERNAL');
    await sql`drop trigger refuse on outbox`.execute(accounts.database);
    await expect(bearerCode(session.token)).resolves.toBe('OK');
    await expect(codeOf(logIn(accounts, who))).resolves.toBe('OK');
  });
});

describe('the last ADMIN', () => {
  test('cannot delete the account, and one of two concurrent deletions fails', async () => {
    const admin = await loginAdmin(accounts);
    const assertions = await assertionsOf(accounts, admin.token);
    await expect(remove(assertions)).resolves.toBe('CONFLICT');
    const second = { ...GRACE, email: 'second@example.org' };
    const other = await registerVerified(accounts, second);
    await accounts.database.updateTable('account').set({ role: 'ADMIN' }).where('email', '=', second.email).execute();
    const setEnabled = (enabled: boolean) =>
      accounts.database.updateTable('account').set({ enabled }).where('email', '=', second.email).execute();
    await setEnabled(false);
    await expect(remove(assertions)).resolves.toBe('CONFLICT');
    await setEnabled(true);
    const codes = await Promise.all([remove(assertions), remove(other.assertions)]);
    expect(codes.sort()).toEqual(['CONFLICT', 'OK']);
    await expect(codeOf(accounts.client.createFirstAdmin(ADMIN, call()))).resolves.toBe('ADMIN_EXISTS');
  });
});
