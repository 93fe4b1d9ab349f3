import { afterAll, describe, expect, test } from '@jest/globals';
import { Role } from '@esd/proto/esd/identity/v1/identity';
import { sql } from 'kysely';
import { eraseAuditOrigins, writeAudit } from '../../src/audit/write-audit.ts';
import {
  addAccount,
  ADMIN,
  type Assertions,
  assertionsOf,
  call,
  codeOf,
  loginAdmin,
  startIdentity,
} from '../identity-service.ts';

const ANY = {
  actor: undefined,
  subject: undefined,
  action: undefined,
  from: undefined,
  to: undefined,
  skip: 0,
  limit: 100,
};

const identity = await startIdentity();
const admin = await assertionsOf(identity, (await loginAdmin(identity)).token);
const { id: adminId } = await identity.database.selectFrom('account').select('id').executeTakeFirstOrThrow();
afterAll(() => identity.stop());

const read = (query: Partial<typeof ANY> | object) =>
  identity.administration.listAudit({ ...ANY, ...query }, call(admin));
const from = (clientIp: string, assertions?: Assertions) => ({ ...call(assertions), clientIp });

describe('the audit trail', () => {
  test('begins with the first ADMIN', async () => {
    const { records } = await read({ subject: adminId });
    expect(records.at(-1)).toMatchObject({ action: 'first-admin-created', actor: undefined });
  });

  test('contains actor, action, subject, request and client address', async () => {
    const user = await addAccount(identity, 'user@example.org');
    const changed = from('192.0.2.1', admin);
    await identity.administration.setAccountRole({ accountId: user.id, role: Role.ROLE_MODERATOR }, changed);
    await identity.administration.setAccountEnabled({ accountId: user.id, enabled: false }, from('192.0.2.2', admin));
    await identity.administration.setAccountEnabled({ accountId: user.id, enabled: false }, call(admin));
    await identity.administration.setAccountEnabled({ accountId: user.id, enabled: true }, call(admin));
    const { records, total } = await read({ subject: user.id });
    expect(total).toBe(4);
    expect(records).toMatchObject([
      { action: 'account-enabled', actor: adminId, clientIp: undefined },
      { action: 'account-disabled', actor: adminId, clientIp: '192.0.2.2' },
      {
        action: 'role-changed',
        actor: adminId,
        subject: user.id,
        requestId: changed.requestId,
        clientIp: '192.0.2.1',
        details: { from: 'USER', to: 'MODERATOR' },
      },
      { action: 'login', actor: user.id },
    ]);
  });

  test('records logins, failed logins and the end of sessions', async () => {
    const { id, token } = await addAccount(identity, 'other@example.org');
    const wrong = (email: string) =>
      codeOf(identity.client.login({ email, password: 'wrong horse', rememberMe: false }, from('192.0.2.3')));
    await expect(wrong('other@example.org')).resolves.toBe('BAD_CREDENTIALS');
    await expect(wrong('unknown@example.org')).resolves.toBe('BAD_CREDENTIALS');
    await identity.sessions.logoutAll({}, call(await assertionsOf(identity, token)));
    expect((await read({ subject: id })).records.map(({ action, actor }) => [action, actor])).toEqual([
      ['logout-all', id],
      ['login-failed', undefined],
      ['login', id],
    ]);
    const { records } = await read({ action: 'login-failed' });
    expect(records.map(({ subject, clientIp }) => [subject, clientIp])).toEqual([
      [undefined, '192.0.2.3'],
      [id, '192.0.2.3'],
    ]);
  });

  test('can be filtered by actor, subject, action and time, and is returned in pages, newest first', async () => {
    const entries = ['test-a', 'test-b', 'test-a'];
    const between: Date[] = [];
    for (const action of entries) {
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(identity.database);
      between.push(rows[0]?.now ?? new Date(NaN));
      await new Promise((wake) => setTimeout(wake, 5));
      await identity.database
        .transaction()
        .execute((transaction) =>
          writeAudit(
            transaction,
            { action, actor: adminId, subject: null, details: { number: String(between.length) } },
            { requestId: 'r', clientIp: undefined },
          ),
        );
    }
    const numbers = async (query: object) => (await read(query)).records.map(({ details }) => details['number']);
    expect(await numbers({ action: 'test-a' })).toEqual(['3', '1']);
    expect(await numbers({ actor: adminId, from: between[1] })).toEqual(['3', '2']);
    expect(await numbers({ actor: adminId, from: between[0], to: between[2] })).toEqual(['2', '1']);
    expect(await numbers({ action: 'test-a', skip: 1, limit: 1 })).toEqual(['1']);
    expect((await read({ action: 'test-a', skip: 1, limit: 1 })).total).toBe(2);
    expect(await numbers({ action: 'test-a', subject: adminId })).toEqual([]);
  });

  test('is append-only', async () => {
    const before = await sql<{ count: number }>`select count(*) from audit`.execute(identity.database);
    const changes = ["update audit set action = 'nothing'", 'delete from audit', 'truncate audit cascade'];
    for (const change of changes) {
      await expect(sql.raw(change).execute(identity.database)).rejects.toThrow('the audit trail is append-only');
    }
    const after = await sql<{ count: number }>`select count(*) from audit`.execute(identity.database);
    expect(after.rows).toEqual(before.rows);
  });

  test('contains no personal data except client addresses, which are erased with the account', async () => {
    const { rows } = await sql<{ text: string }>`select audit::text as text from audit`.execute(identity.database);
    expect(rows.filter(({ text }) => /@|192\.0\.2\./.test(text))).toEqual([]);
    const before = await read({ actor: adminId });
    expect(before.records.some(({ clientIp }) => clientIp !== undefined)).toBe(true);
    await identity.database.transaction().execute((transaction) => eraseAuditOrigins(transaction, adminId));
    const after = await read({ actor: adminId });
    expect(after.records).toEqual(before.records.map((record) => ({ ...record, clientIp: undefined })));
    expect((await read({ action: 'login-failed' })).records.every(({ clientIp }) => clientIp === '192.0.2.3')).toBe(
      true,
    );
  });

  test('contains no entry for an action that was rolled back', async () => {
    const { total } = await read({});
    const undone = identity.database.transaction().execute(async (transaction) => {
      await writeAudit(
        transaction,
        { action: 'undone', actor: null, subject: null },
        { requestId: 'r', clientIp: '192.0.2.9' },
      );
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect((await read({})).total).toBe(total);
  });
});

test('no entry contains the password of the ADMIN', async () => {
  const { records } = await read({});
  expect(JSON.stringify(records)).not.toContain(ADMIN.password);
});
