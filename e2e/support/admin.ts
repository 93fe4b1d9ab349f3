import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Api } from './api.ts';
import { session } from './shapes.ts';

const credentials = z.strictObject({ email: z.string(), password: z.string() });

export type Credentials = z.output<typeof credentials>;

/** The administrator whom the demo import made. */
export function demoAdmin(dataDir: string): Credentials {
  return credentials.parse(JSON.parse(readFileSync(join(dataDir, 'admin.json'), 'utf8')));
}

/** The account that owns the records of the demo. */
export function demoContributor(dataDir: string): Credentials {
  return credentials.parse(JSON.parse(readFileSync(join(dataDir, 'contributor.json'), 'utf8')));
}

/** Logs in and returns the session token. */
export async function login(api: Api, who: Credentials): Promise<string> {
  const answer = await api.post('/auth/login', who);
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
  return session.parse(answer.json).token;
}

/** Makes the first administrator of an empty stack and logs in. */
export async function createAdmin(api: Api): Promise<{ who: Credentials; token: string }> {
  const who = { email: 'admin@example.org', password: 'correct horse battery staple' };
  const answer = await api.post('/auth/admin/create', { ...who, name: 'First Admin' });
  if (answer.status !== 201) throw new Error(`the first admin: ${answer.status} ${answer.text}`);
  return { who, token: await login(api, who) };
}
