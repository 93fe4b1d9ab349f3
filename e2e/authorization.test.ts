import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Answer, apiAt } from './support/api.ts';
import { openApi } from './support/contract.ts';
import { query } from './support/database.ts';
import { expectError } from './support/errors.ts';
import { newAddress } from './support/new-address.ts';

/**
 * The requirement of a route. `nothing`: credentials are ignored. `no bad token`: no credential is required, but a bad one is rejected.
 * `own page`: the same, and the request must come from a page of the service. The others need an account, a session of one,
 * or a session of one with a role.
 */
type Need = 'nothing' | 'own page' | 'no bad token' | 'account' | 'session' | 'MODERATOR' | 'ADMIN';

interface Row {
  needs: Need;
  /** The path of the request; by default that of the route with `EXAMPLES`. */
  at?: string;
  /** A body that changes nothing; `{}` by default, for a method with a body. */
  body?: object;
  /** Whether the request ends the session. */
  endsSession?: true;
}

const NOBODY = randomUUID();
const NO_ID = 999_999_999;
/** Values of path parameters. The others are `NO_ID`. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ...{ version: 'v9.9.9', from: 'v9.9.9', to: 'latest', name: 'records.csv' },
  ...{ imageId: NOBODY, group: 'dataset', list: 'polymers' },
};

/** Changes of a reference list, with an invalid body. */
function listChanges(list: string, body: object): Record<string, Row> {
  return {
    [`POST /metadata/${list}`]: { needs: 'ADMIN', body },
    [`PUT /metadata/${list}/{id}`]: { needs: 'ADMIN', body },
    [`DELETE /metadata/${list}/{id}`]: { needs: 'ADMIN' },
  };
}

/** Every operation of the interface. A missing operation fails the test. */
const matrix: Record<string, Row> = {
  'GET /public/dataset': { needs: 'nothing' },
  'GET /public/dataset/latest': { needs: 'nothing' },
  'GET /public/dataset/export': { needs: 'nothing', at: '/public/dataset/export?format=json' },
  'GET /public/dataset/versions': { needs: 'nothing' },
  'GET /public/dataset/versions/{from}/diff/{to}': { needs: 'nothing' },
  'GET /public/dataset/{version}': { needs: 'nothing' },
  'GET /public/dataset/{version}/export': { needs: 'nothing' },
  'GET /public/dataset/records/{recordId}': { needs: 'nothing' },
  'GET /public/dataset/{version}/records/{recordId}': { needs: 'nothing' },
  'GET /public/dataset/records/{recordId}/metadata': { needs: 'nothing' },
  'GET /public/dataset/{version}/records/{recordId}/metadata': { needs: 'nothing' },
  'GET /public/dataset/metadata': { needs: 'nothing' },
  'GET /public/dataset/{version}/metadata': { needs: 'nothing' },
  'GET /public/dataset/coverage': { needs: 'nothing' },
  'GET /public/dataset/facets': { needs: 'nothing' },
  'GET /public/dataset/grid': { needs: 'nothing' },
  'GET /public/dataset/histogram': { needs: 'nothing' },
  'GET /public/dataset/nearest': { needs: 'nothing' },
  'GET /public/dataset/papers': { needs: 'nothing' },
  'GET /public/dataset/points': { needs: 'nothing' },
  'GET /public/dataset/statistics': { needs: 'nothing' },
  'GET /public/dataset/summary': { needs: 'nothing' },
  'GET /public/dataset/{version}/coverage': { needs: 'nothing' },
  'GET /public/dataset/{version}/facets': { needs: 'nothing' },
  'GET /public/dataset/{version}/grid': { needs: 'nothing' },
  'GET /public/dataset/{version}/histogram': { needs: 'nothing' },
  'GET /public/dataset/{version}/nearest': { needs: 'nothing' },
  'GET /public/dataset/{version}/papers': { needs: 'nothing' },
  'GET /public/dataset/{version}/points': { needs: 'nothing' },
  'GET /public/dataset/{version}/statistics': { needs: 'nothing' },
  'GET /public/dataset/{version}/summary': { needs: 'nothing' },

  'POST /public/queries': { needs: 'no bad token', body: { filter: 0 } },
  'GET /public/queries/{id}': { needs: 'nothing' },
  'GET /public/queries/{id}/papers': { needs: 'nothing' },
  'GET /public/queries/{id}/records': { needs: 'nothing' },
  'GET /public/queries/{id}/metadata': { needs: 'nothing' },
  'GET /public/queries/{id}/export': { needs: 'nothing' },

  'GET /cache/download/excel': { needs: 'nothing' },
  'GET /cache/download/json': { needs: 'nothing' },
  'GET /cache/download/images': { needs: 'nothing' },
  'GET /cache/download/excel/{id}': { needs: 'nothing' },
  'GET /cache/download/images/{id}': { needs: 'nothing' },
  'GET /files/{version}/{name}': { needs: 'nothing' },
  'GET /cache/download/count': { needs: 'nothing' },
  'GET /cache/download/versions': { needs: 'nothing' },
  'POST /analytics/view': { needs: 'no bad token' },
  'GET /analytics/usage': { needs: 'nothing' },
  'GET /analytics/stats': { needs: 'nothing' },

  'POST /versions': { needs: 'account', body: { name: '', filterConfig: {} } },
  'GET /versions': { needs: 'account' },
  'GET /versions/{id}': { needs: 'account' },
  'DELETE /versions/{id}': { needs: 'account' },
  'GET /versions/{id}/records': { needs: 'account' },
  'GET /versions/{id}/export': { needs: 'account' },
  'POST /admin/versions': { needs: 'ADMIN', body: { versionIdentifier: 'none' } },
  'GET /admin/versions/{id}': { needs: 'ADMIN' },
  'PATCH /admin/versions/{id}': { needs: 'ADMIN' },

  'GET /metadata/features': { needs: 'nothing' },
  'GET /metadata/polymers': { needs: 'nothing' },
  'GET /metadata/polymers/search': { needs: 'nothing', at: '/metadata/polymers/search?cas=9002-89-5' },
  'GET /metadata/solvents': { needs: 'nothing' },
  'GET /metadata/solvents/search': { needs: 'nothing', at: '/metadata/solvents/search?cas=67-64-1' },
  'GET /metadata/morphologies': { needs: 'nothing' },
  'GET /metadata/units': { needs: 'nothing' },
  'GET /metadata/instabilities': { needs: 'nothing' },
  ...listChanges('polymers', { name: '' }),
  ...listChanges('solvents', { name: '' }),
  ...listChanges('units', { unit: '', name: '', dimension: '' }),
  ...listChanges('morphologies', { label: '', category: '', definition: '' }),
  ...listChanges('instabilities', { label: '', category: '', definition: '' }),
  ...listChanges('papers', { doi: '', title: '' }),
  'GET /metadata/papers': { needs: 'nothing' },
  'POST /metadata/papers/import': { needs: 'ADMIN', body: [] },
  'GET /admin/metadata/papers/missing': { needs: 'ADMIN' },
  'GET /admin/metadata/changes': { needs: 'ADMIN' },
  'GET /admin/metadata/{list}/{id}/use': { needs: 'ADMIN' },

  'GET /': { needs: 'nothing' },
  'GET /docs': { needs: 'nothing' },
  'GET /docs/{group}': { needs: 'nothing' },
  'GET /status': { needs: 'nothing' },
  'GET /explore': { needs: 'nothing' },
  'GET /llms.txt': { needs: 'nothing' },
  'POST /mcp': { needs: 'nothing' },
  'GET /feeds/records.atom': { needs: 'nothing' },
  'GET /feeds/releases.atom': { needs: 'nothing' },
  'GET /health': { needs: 'nothing' },
  'GET /ready': { needs: 'nothing' },
  'GET /openapi.json': { needs: 'nothing' },
  'GET /.well-known/jwks.json': { needs: 'nothing' },

  'POST /auth/admin/create': { needs: 'no bad token' },
  'POST /auth/register': { needs: 'nothing' },
  'POST /auth/login': { needs: 'nothing' },
  'POST /auth/refresh': { needs: 'nothing' },
  'POST /session': { needs: 'own page' },
  'POST /session/refresh': { needs: 'own page' },
  'DELETE /session': { needs: 'own page' },
  'GET /auth/verify-email': { needs: 'nothing' },
  'POST /auth/verify-email': { needs: 'nothing' },
  'GET /auth/reset-password': { needs: 'nothing' },
  'POST /auth/resend-verification': { needs: 'nothing' },
  'POST /auth/forgot-password': { needs: 'nothing' },
  'POST /auth/reset-password': { needs: 'nothing' },
  'GET /auth/me': { needs: 'account' },
  'GET /auth/profile': { needs: 'account' },
  'PUT /auth/profile': { needs: 'account' },
  'DELETE /auth/profile': { needs: 'account', body: { password: 0 } },
  'POST /auth/change-password': { needs: 'account' },
  'GET /auth/profile/export': { needs: 'session' },
  'GET /auth/sessions': { needs: 'session' },
  'DELETE /auth/sessions/{id}': { needs: 'session', at: `/auth/sessions/${NOBODY}` },
  'GET /auth/two-factor': { needs: 'session' },
  'POST /auth/two-factor': { needs: 'session', body: { password: 0 } },
  'POST /auth/two-factor/confirm': { needs: 'session', body: { otp: '0' } },
  'DELETE /auth/two-factor': { needs: 'session', body: { password: 0 } },
  'POST /auth/logout': { needs: 'session', endsSession: true },
  'POST /auth/logout-all': { needs: 'session', endsSession: true },
  'GET /auth/tokens': { needs: 'session' },
  'POST /auth/tokens': { needs: 'session', body: { name: 'of the matrix', expiresInDays: 30 } },
  'DELETE /auth/tokens/{id}': { needs: 'session' },
  'POST /auth/tokens/{id}/regenerate': { needs: 'session' },

  'GET /data/statuses': { needs: 'nothing' },
  'POST /data/submit': { needs: 'no bad token' },
  'PUT /data/update/{recordId}': { needs: 'account' },
  'PUT /data/update-submission/{submissionId}': { needs: 'account' },
  'POST /data/parse-excel': { needs: 'account' },
  'GET /data/template.xlsx': { needs: 'nothing' },
  'GET /data/my-records': { needs: 'account' },
  'GET /data/my-records/ids': { needs: 'account' },
  'GET /data/my-records/{recordId}/history': { needs: 'account' },
  'GET /data/my-submissions': { needs: 'account' },
  'GET /data/pending': { needs: 'account' },
  'GET /data/experiment/{recordId}': { needs: 'account' },
  'GET /data/submission/{submissionId}': { needs: 'account' },

  'POST /images/upload': { needs: 'no bad token' },
  'GET /images/{imageId}/content': { needs: 'nothing' },
  'DELETE /images/{imageId}': { needs: 'no bad token' },
  'POST /experiments/{experimentId}/images': { needs: 'account' },
  'GET /experiments/{experimentId}/images': { needs: 'account' },

  'GET /data/records/{recordId}/messages': { needs: 'account' },
  'POST /data/records/{recordId}/messages': { needs: 'account', body: { text: 'There is none.' } },
  'POST /data/records/{recordId}/messages/read': { needs: 'account', body: { upTo: 1 } },
  'GET /data/unread': { needs: 'account' },
  'GET /moderation/decisions': { needs: 'MODERATOR' },
  'POST /moderation/decisions/{id}/undo': { needs: 'MODERATOR' },
  'GET /moderation/queue': { needs: 'MODERATOR' },
  'GET /moderation/submissions': { needs: 'MODERATOR' },
  'GET /moderation/submissions/{submissionId}': { needs: 'MODERATOR' },
  'GET /moderation/records/{id}': { needs: 'MODERATOR' },
  'POST /moderation/records/{id}/approve': { needs: 'MODERATOR' },
  'POST /moderation/records/{id}/reject': { needs: 'MODERATOR', body: { reason: 'There is none.' } },
  'POST /moderation/records/{id}/withdraw': { needs: 'MODERATOR', body: { reason: 'There is none.' } },
  'POST /moderation/records/{id}/restore': { needs: 'MODERATOR' },
  'POST /moderation/records/{id}/reopen': { needs: 'MODERATOR' },
  'POST /moderation/approve': { needs: 'MODERATOR', body: { recordIds: [NO_ID] } },
  'POST /moderation/reject': { needs: 'MODERATOR', body: { recordIds: [NO_ID], reason: 'There is none.' } },

  'DELETE /admin/submissions/{id}/submitter': { needs: 'ADMIN' },

  'GET /contributors/list': { needs: 'nothing' },
  'POST /feedback/submit': { needs: 'no bad token' },
  'GET /feedback': { needs: 'ADMIN' },
  'GET /feedback/{id}': { needs: 'ADMIN' },
  'GET /feedback/{id}/image': { needs: 'ADMIN' },
  'DELETE /feedback/{id}': { needs: 'ADMIN' },
  'PATCH /feedback/{id}': { needs: 'ADMIN', body: { state: 'CLOSED' } },

  'GET /admin/accounts': { needs: 'ADMIN' },
  'GET /admin/audit': { needs: 'ADMIN' },
  'GET /admin/status': { needs: 'ADMIN' },
  'GET /admin/records/{id}/publication': { needs: 'MODERATOR' },
  'PUT /admin/accounts/{id}/role': {
    needs: 'ADMIN',
    at: `/admin/accounts/${NOBODY}/role`,
    body: { role: 'USER' },
  },
  'PUT /admin/accounts/{id}/enabled': {
    needs: 'ADMIN',
    at: `/admin/accounts/${NOBODY}/enabled`,
    body: { enabled: true },
  },
};

type Role = 'USER' | 'MODERATOR' | 'ADMIN';

interface Caller {
  name: string;
  authorization: string | undefined;
  /** The error code for a bad credential. */
  bad?: 'TOKEN_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_REVOKED';
  role?: Role;
  isSession?: boolean;
  /** The account, if a new session can be started for it. */
  who?: Credentials;
}

/** The expected outcome: an error code, or `allowed` if the request reaches the route. */
function expected(needs: Need, { authorization, bad, role, isSession }: Caller): string {
  if (needs === 'nothing') return 'allowed';
  // No caller is a page of the service.
  if (needs === 'own page') return 'ORIGIN_NOT_ALLOWED';
  if (bad) return bad;
  if (needs === 'no bad token') return 'allowed';
  if (authorization === undefined) return 'AUTH_REQUIRED';
  // A personal access token never has the permissions of a role.
  if (needs !== 'account' && !isSession) return 'SESSION_REQUIRED';
  if (needs === 'MODERATOR' && role === 'USER') return 'FORBIDDEN';
  if (needs === 'ADMIN' && role !== 'ADMIN') return 'FORBIDDEN';
  return 'allowed';
}

const STATUS: Readonly<Record<string, number>> = {
  AUTH_REQUIRED: 401,
  TOKEN_INVALID: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_REVOKED: 401,
  FORBIDDEN: 403,
  ORIGIN_NOT_ALLOWED: 403,
  SESSION_REQUIRED: 403,
};
const code = z.object({ code: z.string() }).partial().catch({});

/** Returns the outcome that a response shows. */
function outcomeOf(answer: Answer): string {
  const { code: errorCode } = code.parse(answer.json);
  if (errorCode !== undefined && errorCode in STATUS) {
    expectError(answer, STATUS[errorCode] ?? 0, errorCode);
    return errorCode;
  }
  return [401, 403, 500, 503].includes(answer.status) ? `${answer.status} ${errorCode ?? ''}` : 'allowed';
}

const created = z.object({ id: z.int(), token: z.string() });

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let callers: Caller[];
let described: string[];
beforeAll(async () => {
  const { paths } = openApi.parse((await api.get('/openapi.json')).json);
  described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const { who: admin, token: adminSession } = await newAdmin(stack, api);
  const [user, moderator, disabled] = [
    await addAccount(stack, admin, newAddress('user')),
    await addAccount(stack, admin, newAddress('moderator'), 'MODERATOR'),
    await addAccount(stack, admin, newAddress('disabled')),
  ];
  const newToken = async (bearer: string) =>
    created.parse((await api.post('/auth/tokens', { name: 'of a caller' }, { bearer })).json);
  const good = async (role: Role, who: Credentials): Promise<Caller[]> => {
    const session = await login(api, who);
    const { token } = await newToken(session);
    return [
      { name: `${role} session`, authorization: `Bearer ${session}`, role, isSession: true, who },
      { name: `${role} token`, authorization: `Bearer ${token}`, role, isSession: false },
    ];
  };
  const bad = (name: string, token: string, why: Caller['bad']): Caller => {
    return { name, authorization: `Bearer ${token}`, ...(why ? { bad: why } : {}) };
  };

  const users = await good('USER', user.who);
  const session = await login(api, user.who);
  const ended = await login(api, user.who);
  await api.post('/auth/logout', {}, { bearer: ended });
  const expiring = await newToken(session);
  await query(
    stack.databaseUrl('esd_identity'),
    `update personal_access_token set expires_at = now() - interval '1 second' where id = $1`,
    [expiring.id],
  );
  const revoked = await newToken(session);
  await api.delete(`/auth/tokens/${revoked.id}`, { bearer: session });
  const replaced = await newToken(session);
  await api.post(`/auth/tokens/${replaced.id}/regenerate`, {}, { bearer: session });
  const disabledSession = await login(api, disabled.who);
  const disabledToken = await newToken(disabledSession);
  await api.put(`/admin/accounts/${disabled.id}/enabled`, { enabled: false }, { bearer: adminSession });

  callers = [
    { name: 'anonymous caller', authorization: undefined },
    ...users,
    ...(await good('MODERATOR', moderator.who)),
    ...(await good('ADMIN', admin)),
    bad('malformed token', 'not-a-token', 'TOKEN_INVALID'),
    bad('unknown personal access token', `esd_pat_${'0'.repeat(46)}`, 'TOKEN_INVALID'),
    bad('altered session', `${session.slice(0, -8)}AAAAAAAA`, 'TOKEN_INVALID'),
    { name: 'another scheme', authorization: 'Basic YWRhOmFkYQ==', bad: 'TOKEN_INVALID' },
    bad('session that has ended', ended, 'TOKEN_REVOKED'),
    bad('expired token', expiring.token, 'TOKEN_EXPIRED'),
    bad('revoked token', revoked.token, 'TOKEN_REVOKED'),
    bad('replaced token', replaced.token, 'TOKEN_REVOKED'),
    bad('session of a disabled account', disabledSession, 'TOKEN_REVOKED'),
    bad('token of a disabled account', disabledToken.token, 'TOKEN_REVOKED'),
  ];
});

/**
 * Returns the callers that a test sends an operation as. One function reads the credential of every route, so each bad credential is tried
 * with the first operation of each need, and one of each error code with all others.
 */
function callersOf(operation: string): Caller[] {
  const { needs } = matrix[operation] ?? {};
  const [first] = Object.entries(matrix).find(([, row]) => row.needs === needs) ?? [];
  if (operation === first) return callers;
  return callers.filter(({ bad }, at) => bad === undefined || callers.findIndex((other) => other.bad === bad) === at);
}

async function send(operation: string, { at, body }: Row, authorization: string | undefined): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const options = { headers: authorization === undefined ? {} : { authorization } };
  const url = at ?? path.replaceAll(/\{(\w+)\}/g, (_, name: string) => EXAMPLES[name] ?? String(NO_ID));
  switch (method) {
    case 'GET':
      return api.get(url, options);
    case 'POST':
      return api.post(url, body ?? {}, options);
    case 'PUT':
      return api.put(url, body ?? {}, options);
    case 'DELETE':
      return api.delete(url, { ...options, ...(body ? { body } : {}) });
    default:
      return api.get(url, { ...options, method, body: body ?? {} });
  }
}

/** Sends the same operation with a path, a query and a body that no route accepts. */
function sendNonsense(operation: string, authorization: string | undefined): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const url = `${path.replaceAll(/\{\w+\}/g, 'nonsense')}?nonsense=1`;
  const headers = { 'content-type': 'text/nonsense', ...(authorization === undefined ? {} : { authorization }) };
  return api.get(url, { method, headers, ...(method === 'GET' ? {} : { body: '{"nonsense' }) });
}

test('the matrix contains exactly the operations that the interface describes', () => {
  expect(Object.keys(matrix).sort()).toEqual([...described].sort());
});

describe('authorization comes before validation', () => {
  test.each(Object.entries(matrix))('%s with an invalid request', async (operation, { needs }) => {
    const tried = callersOf(operation);
    const answers = await Promise.all(
      tried.map(async (caller): Promise<[caller: string, outcome: string]> => {
        const answer = await sendNonsense(operation, caller.authorization);
        const outcome = outcomeOf(answer);
        // Web pages accept any query.
        if (outcome === 'allowed' && !['GET /', 'GET /docs', 'GET /explore', 'GET /status'].includes(operation))
          expect(answer.status).toBeGreaterThanOrEqual(400);
        return [caller.name, outcome];
      }),
    );
    expect(answers).toEqual(tried.map((caller) => [caller.name, expected(needs, caller)]));
  });
});

describe('authorization', () => {
  // Operations that end sessions come last.
  const rows = Object.entries(matrix).sort(([, a], [, b]) => Number(a.endsSession ?? 0) - Number(b.endsSession ?? 0));

  test.each(rows)('%s', async (operation, row) => {
    const answers: [caller: string, outcome: string][] = [];
    for (const caller of callersOf(operation)) {
      const isUsedUp = row.endsSession && caller.who;
      const authorization = isUsedUp ? `Bearer ${await login(api, isUsedUp)}` : caller.authorization;
      answers.push([caller.name, outcomeOf(await send(operation, row, authorization))]);
    }
    expect(answers).toEqual(callersOf(operation).map((caller) => [caller.name, expected(row.needs, caller)]));
  });
});
