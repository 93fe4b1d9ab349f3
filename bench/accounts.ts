/** `node bench/accounts.ts`: measures the cost of resolving bearers and of logins. */
import pg from 'pg';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack } from '@esd/testing/stack';
import { guessing, type LoginBench, logins } from './login.ts';
import { describeMachine, markdown } from './report.ts';
import { resolveBearers } from './resolve-bearer.ts';

const ACCOUNTS = 50;
const startedAt = new Date().toISOString();
const machine = describeMachine();
const answer = z.object({ token: z.string() });
const password = 'correct horse battery staple';

const stack = await startStack({ empty: true });
try {
  const post = async (path: string, body: object, bearer?: string): Promise<unknown> => {
    const options = { method: 'POST', body, ...(bearer === undefined ? {} : { bearer }) };
    const { status, text, json } = await request(stack.url + path, options);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json;
  };
  await post('/auth/admin/create', { email: 'account-0@example.org', password, name: 'Admin' });
  const { token } = answer.parse(await post('/auth/login', { email: 'account-0@example.org', password }));
  const { token: pat } = answer.parse(await post('/auth/tokens', { name: 'bench' }, token));
  const client = new pg.Client({ connectionString: stack.databaseUrl('esd_identity') });
  await client.connect();
  await client.query(
    `insert into account (id, email, email_normalized, password_hash, role, email_verified, name)
     select gen_random_uuid(), address, address, password_hash, 'USER', true, 'Bench'
     from account, (select 'account-' || n || '@example.org' as address from generate_series(1, $1::int - 1) n) added`,
    [ACCOUNTS],
  );
  await client.end();
  const emails = Array.from({ length: ACCOUNTS }, (_, number) => `account-${number}@example.org`);
  const bench: LoginBench = { url: stack.url, emails, password, bearer: pat, rounds: 3 };
  const parts = [
    await resolveBearers(stack, { session: token, 'personal access token': pat }, 2_000),
    await logins(bench),
    await guessing(bench),
  ];
  console.log(markdown({ startedAt, machine, settings: {}, parts }));
} finally {
  await stack.stop();
}
