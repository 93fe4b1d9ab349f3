import { z } from 'zod';
import { integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { success } from './success.ts';

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

export const accessToken = z
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

export const newToken = accessToken.extend({
  token: z.string().meta({ description: 'The full token. It is shown only once.' }),
});

export const tokens = z.array(accessToken);

const SESSION_ONLY = 'Requires a session; a personal access token cannot manage tokens.';

const ONCE = `${SESSION_ONLY} The owner is notified by email. The response must not be stored, and the token cannot be retrieved again.`;

export const listTokens = operation({
  method: 'get',
  path: '/auth/tokens',
  caller: 'session',
  describe: {
    tag: 'Tokens',
    summary: 'List the tokens of the caller',
    details: `${SESSION_ONLY} Lists at most 1,000 tokens, active ones first, then newest first.`,
    returns: 'The tokens, without their secrets.',
    errors: ['SESSION_REQUIRED'],
  },
  response: tokens,
});

export const createToken = operation({
  method: 'post',
  path: '/auth/tokens',
  caller: 'session',
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
  body: createBody,
  response: newToken,
});

export const revokeToken = operation({
  method: 'delete',
  path: '/auth/tokens/{id}',
  caller: 'session',
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
  response: success,
});

export const regenerateToken = operation({
  method: 'post',
  path: '/auth/tokens/{id}/regenerate',
  caller: 'session',
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
  response: newToken,
});
