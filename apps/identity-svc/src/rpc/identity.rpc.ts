import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { type Account, IdentityServiceService, Role, type Session } from '@esd/proto/esd/identity/v1/identity';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { AccountRow } from '../account/account.table.ts';
import { createFirstAdmin } from '../account/create-first-admin.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import { openPasswords } from '../account/password.ts';
import type { identitySettings } from '../config.ts';
import { assertionSigner } from '../session/assertion-signer.ts';
import type { IssuedSession } from '../session/issue-session.ts';
import { login } from '../session/login.ts';
import { refresh } from '../session/refresh.ts';
import { resolveBearer } from '../session/resolve-bearer.ts';
import { sessionTokens } from '../session/session-token.ts';
import { openSigningKeys } from '../session/signing-keys.ts';
import type { IdentityTables } from '../tables.ts';

type IdentityConfig = z.output<z.ZodObject<typeof identitySettings>>;

/** Opens keys and password hashing and joins every method of IdentityService with its use case. */
export async function identityRpc(config: IdentityConfig, database: Kysely<IdentityTables>): Promise<RpcService> {
  const tokens = sessionTokens(openSigningKeys(config.ESD_SESSION_PRIVATE_KEYS), config.ESD_SESSION_TOKEN_MINUTES);
  const signAssertion = assertionSigner(openSigningKeys(config.ESD_ASSERTION_PRIVATE_KEYS));
  const lifetime = {
    usualMs: config.ESD_REFRESH_TOKEN_HOURS * 3_600_000,
    rememberedMs: config.ESD_REMEMBERED_REFRESH_TOKEN_DAYS * 86_400_000,
  };
  const passwords = await openPasswords({
    memoryKib: config.ESD_PASSWORD_MEMORY_KIB,
    passes: config.ESD_PASSWORD_PASSES,
    lanes: config.ESD_PASSWORD_LANES,
    atOnce: config.ESD_PASSWORD_HASHES_AT_ONCE,
    waiting: config.ESD_PASSWORD_HASHES_WAITING,
  });
  const bootstrapToken = config.ESD_BOOTSTRAP_TOKEN;

  return rpcService(IdentityServiceService, {
    resolveBearer: async ({ bearer }) => ({
      assertion: await resolveBearer(database, tokens, signAssertion, bearer),
    }),
    createFirstAdmin: async (request, { signal }) => ({
      account: toAccount(await createFirstAdmin(database, passwords, bootstrapToken, request, signal)),
    }),
    login: async (request, { signal }) => ({
      session: toSession(await login(database, passwords, tokens, lifetime, request, signal)),
    }),
    refresh: async ({ refreshToken }) => ({
      session: toSession(await refresh(database, tokens, lifetime, refreshToken)),
    }),
    getOwnAccount: async (_request, { caller }) => ({
      account: toAccount(await getOwnAccount(database, caller)),
    }),
  });
}

const PROTO_ROLE = { USER: Role.ROLE_USER, MODERATOR: Role.ROLE_MODERATOR, ADMIN: Role.ROLE_ADMIN } as const;

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    role: PROTO_ROLE[row.role],
    enabled: row.enabled,
    emailVerified: row.email_verified,
    createdAt: row.created_at,
    name: row.name,
    ...(row.orcid === null ? {} : { orcid: row.orcid }),
  };
}

function toSession(issued: IssuedSession): Session {
  return { ...issued, role: PROTO_ROLE[issued.role] };
}
