import type { Kysely } from 'kysely';
import { SessionServiceService } from '@esd/proto/esd/identity/v1/sessions';
import { requireSession } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { listSessions } from '../session/list-sessions.ts';
import { endOneSession, logout, logoutAll } from '../session/logout.ts';
import type { PublicJwk } from '../session/signing-keys.ts';
import type { IdentityTables } from '../tables.ts';

/** Implements SessionService. `keys`: the public keys for session tokens. */
export function sessionsRpc(database: Kysely<IdentityTables>, keys: readonly PublicJwk[]): RpcService {
  return rpcService(SessionServiceService, {
    listSessions: async (_request, context) => {
      const { accountId, sessionId } = requireSession(context);
      const sessions = await listSessions(database, accountId);
      return {
        sessions: sessions.map(({ network, userAgent, ...session }) => ({
          ...session,
          current: session.id === sessionId,
          network: network ?? undefined,
          userAgent: userAgent ?? undefined,
        })),
      };
    },
    endSession: async ({ id }, context) => {
      await endOneSession(database, requireSession(context), id, context);
      return {};
    },
    logout: async (_request, context) => {
      await logout(database, requireSession(context));
      return {};
    },
    logoutAll: async (_request, context) => {
      await logoutAll(database, requireSession(context), context);
      return {};
    },
    listSessionKeys: () => Promise.resolve({ keys: [...keys] }),
  });
}
