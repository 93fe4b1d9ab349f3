import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { newAddress } from './support/new-address.ts';
import { me, session } from './support/shapes.ts';

const signedIn = session.omit({ refreshToken: true });

let stack: TestStack;
let api: Api;
let origin: string;
let accountId: string;
let who: Credentials;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  ({ origin } = new URL(stack.url));
  const { who: admin } = await newAdmin(stack, api);
  ({ id: accountId, who } = await addAccount(stack, admin, newAddress('browser')));
});
afterAll(() => stack.stop());

/** The cookie of a response as a browser sends it; undefined if the response sets none. */
function cookieOf(answer: Answer): string | undefined {
  return answer.headers.getSetCookie()[0]?.split(';')[0];
}

async function signIn(base = ''): Promise<{ cookie: string; token: string }> {
  const answer = await api.post(`${base}/session`, who, { headers: { origin } });
  const cookie = cookieOf(answer) ?? '';
  // With the port of the gateway, so that two stacks on one machine do not share it.
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(new RegExp(`^esd-${new URL(origin).port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)),
  ]);
  expect(answer.text).not.toContain(cookie.split('=')[1]);
  return { cookie, token: signedIn.parse(answer.json).token };
}

const refresh = (cookie: string, base = '') => api.post(`${base}/session/refresh`, {}, { headers: { origin, cookie } });
const isOpen = async (token: string) => (await api.get('/auth/me', { bearer: token })).status === 200;

/** Moves an exchange into the past. */
async function usedAgo(seconds: number): Promise<void> {
  await query(
    stack.databaseUrl('esd_identity'),
    `update refresh_token set used_at = now() - make_interval(secs => $2)
     where used_at is not null and session_id in (select id from session where account_id = $1)`,
    [accountId, seconds],
  );
}

describe.each(['', '/api'])('sign-in in the browser under %p', (base) => {
  test('returns a session token, continues with the cookie alone, and ends with a sign-out', async () => {
    const { cookie, token } = await signIn(base);
    expect(me.parse((await api.get('/auth/me', { bearer: token })).json).email).toBe(who.email);
    const next = await refresh(cookie, base);
    expect(await isOpen(signedIn.parse(next.json).token)).toBe(true);
    const latest = cookieOf(next) ?? '';
    expect(latest).not.toBe(cookie);
    const ended = await api.delete(`${base}/session`, { headers: { origin, cookie: latest } });
    expect([ended.status, ended.headers.getSetCookie()[0]]).toEqual([200, expect.stringMatching(/=; .*1970/)]);
    expect(await isOpen(token)).toBe(false);
    expectError(await refresh(latest, base), 401, 'TOKEN_REVOKED');
  });
});

test('the cookie is accepted only at the paths of the session', async () => {
  const { cookie } = await signIn();
  expectError(await api.get('/auth/me', { headers: { origin, cookie } }), 401, 'AUTH_REQUIRED');
});

test('five simultaneous tabs stay signed in', async () => {
  const { cookie } = await signIn();
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(cookie)));
  for (const { status, json } of answers) {
    expect(status).toBe(200);
    expect(await isOpen(signedIn.parse(json).token)).toBe(true);
  }
  const cookies = new Set(answers.map(cookieOf));
  expect(cookies.size).toBe(1);
  expect((await refresh([...cookies][0] ?? '')).status).toBe(200);
});

test('a lost response is repeated for 30 seconds; a later repetition signs out', async () => {
  const repeat = async () => {
    const { cookie } = await signIn();
    const lost = await refresh(cookie);
    const startedAt = Date.now();
    await usedAgo(29);
    const again = await refresh(cookie);
    return { cookie, lost, again, isInTime: Date.now() - startedAt < 1_000 };
  };
  // On a busy machine, the repetition can come after the 30 seconds.
  const { cookie, lost, again } = await eventually(repeat, ({ isInTime }) => isInTime);
  expect([again.status, cookieOf(again)]).toEqual([200, cookieOf(lost)]);
  await usedAgo(31);
  const { token } = signedIn.parse(again.json);
  expect(await isOpen(token)).toBe(true);
  const reused = await refresh(cookie);
  expectError(reused, 401, 'TOKEN_REVOKED');
  expect(cookieOf(reused)).toMatch(/=$/);
  expect(await isOpen(token)).toBe(false);
});

test('POST /auth/refresh remains strict with the token of a cookie', async () => {
  const { cookie, token } = await signIn();
  const refreshToken = cookie.slice(cookie.indexOf('=') + 1);
  expect((await refresh(cookie)).status).toBe(200);
  expectError(await api.post('/auth/refresh', { refreshToken }), 401, 'TOKEN_REVOKED');
  expect(await isOpen(token)).toBe(false);
});

test('the database contains only hashes of refresh tokens', async () => {
  const { cookie } = await signIn();
  const next = cookieOf(await refresh(cookie)) ?? '';
  const [row] = await query(
    stack.databaseUrl('esd_identity'),
    `select string_agg(t::text, ' ') as everything from refresh_token t
     join session s on s.id = t.session_id where s.account_id = $1`,
    [accountId],
  );
  for (const one of [cookie, next]) {
    const token = one.slice(one.indexOf('=') + 1);
    expect(String(row?.['everything'])).not.toContain(token);
    expect(String(row?.['everything'])).not.toContain(Buffer.from(token).toString('hex'));
  }
});
