import { z } from 'zod';
import { type Token, TokenStatus } from '@esd/proto/esd/identity/v1/tokens';
import { jsonBody } from '../../http/body/json-body.ts';
import { integerText } from '@esd/api/number-text';
import { route, type Route } from '../../http/route.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const tokenId = z.object({ id: integerText(1, Number.MAX_SAFE_INTEGER) });
const createBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  expiresInDays: z
    .union(
      [z.literal(30), z.literal(90), z.literal(365)],
      'must be 30, 90 or 365; leave it out for a token that does not expire',
    )
    .optional()
    .meta({ description: 'If omitted, the token does not expire.' }),
});

export const token = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters of the token.' }),
    scope: z.literal('WRITE'),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional().meta({ description: 'Absent if the token does not expire.' }),
    lastUsedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'Updated every few seconds; absent if the token was never used.' }),
    status: z.enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
  })
  .meta({ id: 'Token' });
const newToken = token.extend({
  token: z.string().meta({ description: 'The full token. It is shown only once.' }),
});
const tokens = z.array(token);

const SESSION_ONLY = 'Requires a session; a personal access token cannot manage tokens.';
const ONCE = `${SESSION_ONLY} The owner is notified by email. The response must not be stored, and the token cannot be retrieved again.`;

export function tokenRoutes({ tokens: service }: Pick<Upstream, 'tokens'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/auth/tokens',
      caller: 'session',
      targets: ['esd.identity.v1.TokenService'],
      describe: {
        tag: 'Tokens',
        summary: 'List the tokens of the caller',
        details: `${SESSION_ONLY} Lists at most 1,000 tokens, active ones first, then newest first.`,
        returns: 'The tokens, without their secrets.',
        errors: ['SESSION_REQUIRED'],
      },
      answer: tokens,
      handle: async ({ call }, response) => {
        const found = await service.listTokens({}, call);
        response.set('Cache-Control', 'no-store').json(found.tokens.map(tokenOf));
      },
    }),
    route({
      method: 'post',
      path: '/auth/tokens',
      caller: 'session',
      targets: ['esd.identity.v1.TokenService'],
      limit: 'accounts',
      describe: {
        tag: 'Tokens',
        summary: 'Create a token',
        details: `${ONCE} An account can have at most 100 active tokens.`,
        returns: 'The token, with its secret.',
        status: 201,
        errors: ['SESSION_REQUIRED', 'CONFLICT'],
        example: { body: { name: 'notebook', expiresInDays: 90 } },
      },
      body: jsonBody(createBody),
      answer: newToken,
      handle: async ({ body, call }, response) => {
        const made = await service.createToken(body, call);
        response.status(201).set('Cache-Control', 'no-store').json(newTokenOf(made));
      },
    }),
    route({
      method: 'delete',
      path: '/auth/tokens/:id',
      caller: 'session',
      targets: ['esd.identity.v1.TokenService'],
      limit: 'accounts',
      describe: {
        tag: 'Tokens',
        summary: 'Revoke a token',
        details: `${SESSION_ONLY} Revocation takes effect with the next request.`,
        returns: 'A confirmation that the token is revoked.',
        errors: ['SESSION_REQUIRED', 'TOKEN_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: tokenId,
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        await service.revokeToken({ id }, call);
        sendSuccess(response, `Token ${id} is revoked.`);
      },
    }),
    route({
      method: 'post',
      path: '/auth/tokens/:id/regenerate',
      caller: 'session',
      targets: ['esd.identity.v1.TokenService'],
      limit: 'accounts',
      describe: {
        tag: 'Tokens',
        summary: 'Regenerate the secret of a token',
        details: `${ONCE} The name and the expiry remain unchanged. The old secret is rejected immediately.`,
        returns: 'The token, with its new secret.',
        errors: ['SESSION_REQUIRED', 'TOKEN_NOT_FOUND', 'CONFLICT'],
        example: { parameters: { id: 1 } },
      },
      parameters: tokenId,
      answer: newToken,
      handle: async ({ parameters: { id }, call }, response) => {
        const made = await service.regenerateToken({ id }, call);
        response.set('Cache-Control', 'no-store').json(newTokenOf(made));
      },
    }),
  ];
}

function newTokenOf(made: { token?: Token | undefined; secret: string }): z.output<typeof newToken> {
  if (!made.token) throw new Error('the response has no token');
  return { ...tokenOf(made.token), token: made.secret };
}

export function tokenOf({ id, name, prefix, createdAt, expiresAt, lastUsedAt, status }: Token): z.output<typeof token> {
  if (!createdAt) throw new Error(`token ${id} has no time`);
  return {
    id,
    name,
    prefix,
    scope: 'WRITE',
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString(),
    status: statusOf(status),
  };
}

function statusOf(status: TokenStatus): z.output<typeof token>['status'] {
  switch (status) {
    case TokenStatus.TOKEN_STATUS_ACTIVE:
      return 'ACTIVE';
    case TokenStatus.TOKEN_STATUS_EXPIRED:
      return 'EXPIRED';
    case TokenStatus.TOKEN_STATUS_REVOKED:
      return 'REVOKED';
    case TokenStatus.TOKEN_STATUS_UNSPECIFIED:
      throw new Error('the token has no status');
  }
}
