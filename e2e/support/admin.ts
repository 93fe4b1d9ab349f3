import { argon2Sync, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { TestStack } from '@esd/testing/stack';
import { CHEAP_PASSWORDS } from '@esd/testing/cheap-passwords';
import { newAddress } from './new-address.ts';
import type { Api } from './api.ts';
import { query } from './database.ts';
import { session } from './shapes.ts';

export interface Credentials {
  email: string;
  password: string;
}

/** Logs in and returns the session token. */
export async function login(api: Api, who: Credentials): Promise<string> {
  const answer = await api.post('/auth/login', who);
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
  return session.parse(answer.json).token;
}

const firstAdmin: Credentials = { email: 'admin@example.org', password: 'correct horse battery staple' };

/** Creates the first administrator of an empty stack and logs in. */
export async function createAdmin(api: Api): Promise<{ who: Credentials; token: string }> {
  const answer = await api.post('/auth/admin/create', { ...firstAdmin, name: 'First Admin' });
  if (answer.status !== 201) throw new Error(`the first admin: ${answer.status} ${answer.text}`);
  return { who: firstAdmin, token: await login(api, firstAdmin) };
}

/** Adds an administrator to a stack for one test file, and logs in. The stack may have other administrators. */
export async function newAdmin(stack: TestStack, api: Api): Promise<{ id: string; who: Credentials; token: string }> {
  const who = { email: newAddress('admin'), password: firstAdmin.password };
  const [row] = await query(
    stack.databaseUrl('esd_identity'),
    `insert into account (id, email, email_normalized, password_hash, role, email_verified, name)
     values ($1, $2::text, lower($2::text), $3, 'ADMIN', true, 'Added') returning id`,
    [randomUUID(), who.email, argon2idOf(who.password)],
  );
  return { id: z.string().parse(row?.['id']), who, token: await login(api, who) };
}

/** The PHC string that identity-svc stores for a password with the settings CHEAP_PASSWORDS. */
function argon2idOf(password: string): string {
  const nonce = randomBytes(16);
  const [memory, passes] = [
    Number(CHEAP_PASSWORDS.ESD_PASSWORD_MEMORY_KIB),
    Number(CHEAP_PASSWORDS.ESD_PASSWORD_PASSES),
  ];
  const hash = argon2Sync('argon2id', { message: password, nonce, parallelism: 1, tagLength: 32, memory, passes });
  const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(nonce)}$${base64(hash)}`;
}
