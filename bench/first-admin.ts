import { z } from 'zod';
import { request } from '@esd/testing/http';

export interface FirstAdmin {
  email: string;
  password: string;
  /** The session token. */
  token: string;
}

/** Logs in as the first administrator of a stack, which the first call creates. */
export async function firstAdmin(url: string): Promise<FirstAdmin> {
  const who = { email: 'bench@example.org', password: 'correct horse battery staple' };
  await request(`${url}/auth/admin/create`, { method: 'POST', body: { ...who, name: 'Bench' } });
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/auth/login`, who));
  return { ...who, token };
}

/** Sends JSON. Throws an Error unless the request succeeds. */
export async function post(url: string, body: object, bearer?: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(url, { method: 'POST', body, headers, ...(bearer === undefined ? {} : { bearer }) });
  if (answer.status >= 300) throw new Error(`POST ${url}: ${answer.status} ${answer.text}`);
  return answer.json;
}
