import { randomUUID } from 'node:crypto';
import type { TestStack } from '@esd/testing/stack';
import { type Credentials, login } from './admin.ts';
import type { Api } from './api.ts';
import { query } from './database.ts';
import { tokenOf } from './mail.ts';
import { newAddress } from './new-address.ts';

/** Registers an account and verifies its address. */
export async function registerAccount(api: Api, dataDir: string, name: string): Promise<Credentials> {
  const who = { email: newAddress(name), password: 'a long and unusual password' };
  await api.post('/auth/register', { ...who, name: 'Grace Example' });
  await api.post('/auth/verify-email', { token: await tokenOf(dataDir, who.email) });
  return who;
}

/** Registers a contributor that only this test file uses, and logs in. */
export async function newContributor(api: Api, dataDir: string): Promise<{ who: Credentials; token: string }> {
  const who = await registerAccount(api, dataDir, 'contributor');
  return { who, token: await login(api, who) };
}

/** Adds a verified account with the password of another one, without a registration mail. */
export async function addAccount(
  stack: TestStack,
  like: Credentials,
  email: string,
  role: 'USER' | 'MODERATOR' | 'ADMIN' = 'USER',
): Promise<{ id: string; who: Credentials }> {
  const id = randomUUID();
  await query(
    stack.databaseUrl('esd_identity'),
    `insert into account (id, email, email_normalized, password_hash, role, email_verified, name)
     select $1, $2::text, lower($2::text), password_hash, $3, true, 'Added' from account where email = $4`,
    [id, email, role, like.email],
  );
  return { id, who: { email, password: like.password } };
}
