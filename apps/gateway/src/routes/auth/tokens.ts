import type { z } from 'zod';
import { type Token, TokenStatus } from '@esd/proto/esd/identity/v1/tokens';
import type { accessToken, newToken } from '@esd/api/tokens';
import { createToken, listTokens, regenerateToken, revokeToken } from '@esd/api/tokens';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function tokenRoutes({ tokens: service }: Pick<Upstream, 'tokens'>): Route[] {
  return [
    serve(listTokens, {
      targets: ['esd.identity.v1.TokenService'],
      handle: async ({ call }, response) => {
        const found = await service.listTokens({}, call);
        response.set('Cache-Control', 'no-store').json(found.tokens.map(tokenOf));
      },
    }),
    serve(createToken, {
      targets: ['esd.identity.v1.TokenService'],
      handle: async ({ body, call }, response) => {
        const made = await service.createToken(body, call);
        response.status(201).set('Cache-Control', 'no-store').json(newTokenOf(made));
      },
    }),
    serve(revokeToken, {
      targets: ['esd.identity.v1.TokenService'],
      handle: async ({ parameters: { id }, call }, response) => {
        await service.revokeToken({ id }, call);
        sendSuccess(response, `Token ${id} is revoked.`);
      },
    }),
    serve(regenerateToken, {
      targets: ['esd.identity.v1.TokenService'],
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

export function tokenOf({
  id,
  name,
  prefix,
  createdAt,
  expiresAt,
  lastUsedAt,
  status,
}: Token): z.output<typeof accessToken> {
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

function statusOf(status: TokenStatus): z.output<typeof accessToken>['status'] {
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
