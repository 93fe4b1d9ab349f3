import type { Kysely } from 'kysely';
import { type Token, TokenServiceService, TokenStatus } from '@esd/proto/esd/identity/v1/tokens';
import { requireSession } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { IdentityTables } from '../tables.ts';
import { createToken } from '../token/create-token.ts';
import { regenerateToken } from '../token/regenerate-token.ts';
import { revokeToken } from '../token/revoke-token.ts';
import { findOwnTokens, type OwnToken } from '../token/token.store.ts';

export function tokensRpc(database: Kysely<IdentityTables>): RpcService {
  return rpcService(TokenServiceService, {
    listTokens: async (_request, context) => {
      const { accountId } = requireSession(context);
      return { tokens: (await findOwnTokens(database, accountId)).map(toToken) };
    },
    createToken: async (request, context) => {
      const { token, secret } = await createToken(database, requireSession(context), request, context);
      return { token: toToken(token), secret };
    },
    revokeToken: async ({ id }, context) => {
      await revokeToken(database, requireSession(context), id, context);
      return {};
    },
    regenerateToken: async ({ id }, context) => {
      const { token, secret } = await regenerateToken(database, requireSession(context), id, context);
      return { token: toToken(token), secret };
    },
  });
}

const PROTO_STATUS = {
  ACTIVE: TokenStatus.TOKEN_STATUS_ACTIVE,
  EXPIRED: TokenStatus.TOKEN_STATUS_EXPIRED,
  REVOKED: TokenStatus.TOKEN_STATUS_REVOKED,
} as const;

function toToken({ id, name, prefix, createdAt, expiresAt, lastUsedAt, status }: OwnToken): Token {
  return {
    id,
    name,
    prefix,
    createdAt,
    expiresAt: expiresAt ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined,
    status: PROTO_STATUS[status],
  };
}
