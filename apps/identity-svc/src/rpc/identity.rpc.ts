import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { Credential, IdentityServiceService, type Session } from '@esd/proto/esd/identity/v1/identity';
import { ASSERTION } from '@esd/service/assertion';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import { askForMail } from '../account/ask-for-mail.ts';
import { createFirstAdmin } from '../account/create-first-admin.ts';
import { deleteAccount } from '../account/delete-account.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import { openPasswords } from '../account/password.ts';
import { register } from '../account/register.ts';
import { changePassword, resetPassword } from '../account/set-password.ts';
import { updateProfile } from '../account/update-profile.ts';
import { verifyEmail } from '../account/verify-email.ts';
import type { identitySettings } from '../config.ts';
import { loginGuard } from '../guess/login-guard.ts';
import { assertionSigner } from '../session/assertion-signer.ts';
import type { IssuedSession } from '../session/issue-session.ts';
import { login } from '../session/login.ts';
import { refresh } from '../session/refresh.ts';
import { resolveBearer } from '../session/resolve-bearer.ts';
import { sessionTokens } from '../session/session-token.ts';
import { openSigningKeys } from '../session/signing-keys.ts';
import type { IdentityTables } from '../tables.ts';
import type { TokenUses } from '../token/token-uses.ts';
import { secretBox } from '../two-factor/secret-box.ts';
import { toAccount, toRole } from './account-message.ts';
import { twoFactorRpc } from './two-factor.rpc.ts';

const MAX_TARGETS = 8;
const PROTO_CREDENTIAL = { session: Credential.CREDENTIAL_SESSION, pat: Credential.CREDENTIAL_PAT } as const;

type IdentityConfig = z.output<z.ZodObject<typeof identitySettings>>;

/**
 * Opens keys and password hashing and joins every method of IdentityService, and of TwoFactorService, with its use case.
 * Throws an Error for a policy that nobody could fulfill.
 */
export async function accountRpcs(
  config: IdentityConfig,
  database: Kysely<IdentityTables>,
  tokenUses: Pick<TokenUses, 'note'>,
): Promise<RpcService[]> {
  const { ESD_SECRETS_KEY: secretsKey, ESD_REQUIRE_TWO_FACTOR: requireTwoFactor } = config;
  if (requireTwoFactor !== 'off' && secretsKey === undefined) {
    throw new Error('configuration: ESD_REQUIRE_TWO_FACTOR needs ESD_SECRETS_KEY, or nobody could turn it on');
  }
  const box = secretsKey && secretBox(secretsKey);
  const tokens = sessionTokens(openSigningKeys(config.ESD_SESSION_PRIVATE_KEYS), config.ESD_SESSION_TOKEN_MINUTES);
  const isStrict = config.ESD_STRICT_PEERS === 'on';
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
  const guard = loginGuard(database);
  const bootstrapToken = config.ESD_BOOTSTRAP_TOKEN;
  const twoFactor = { database, passwords, guard, box };

  const identity = rpcService(IdentityServiceService, {
    resolveBearer: async ({ bearer, targets }) => {
      if (targets.length > MAX_TARGETS) {
        throw new ServiceError('INVALID_REQUEST', `${targets.length} targets are more than ${MAX_TARGETS}.`);
      }
      const caller = await resolveBearer({ database, tokens, tokenUses, requireTwoFactor }, bearer);
      return {
        // A gateway of the former release names no targets.
        assertion: isStrict || targets.length > 0 ? '' : signAssertion(caller, ASSERTION.anyAudience),
        role: toRole(caller.role),
        credential: PROTO_CREDENTIAL[caller.credential],
        accountId: caller.accountId,
        twoFactorMissing: caller.twoFactorMissing ?? false,
        assertions: targets.map((target) => ({
          target,
          assertion: signAssertion(caller, isStrict ? target : [ASSERTION.anyAudience, target]),
        })),
      };
    },
    createFirstAdmin: async (request, context) => ({
      account: toAccount(await createFirstAdmin(database, passwords, bootstrapToken, request, context)),
    }),
    login: async (request, context) => ({
      session: toSession(await login({ ...twoFactor, tokens, lifetime }, request, context)),
    }),
    refresh: async ({ refreshToken }) => ({
      session: toSession(await refresh(database, tokens, lifetime, refreshToken)),
    }),
    getOwnAccount: async (_request, { caller }) => ({
      account: toAccount(await getOwnAccount(database, caller)),
    }),
    register: async (request, context) => ({ email: await register(database, passwords, request, context) }),
    verifyEmail: async ({ token }, context) => {
      await verifyEmail(database, token, context);
      return {};
    },
    resendVerification: async ({ email }) => {
      await askForMail(database, 'resend-verification', email);
      return {};
    },
    forgotPassword: async ({ email }) => {
      await askForMail(database, 'forgot-password', email);
      return {};
    },
    resetPassword: async (request, context) => {
      await resetPassword(database, passwords, guard, request, context);
      return {};
    },
    changePassword: async (request, context) => {
      await changePassword(database, passwords, guard, request, context);
      return {};
    },
    updateProfile: async (request, context) => ({
      account: toAccount(await updateProfile(database, request, context)),
    }),
    deleteAccount: async ({ password }, context) => {
      await deleteAccount(database, passwords, guard, password, context);
      return {};
    },
  });
  return [identity, twoFactorRpc(twoFactor)];
}

function toSession(issued: IssuedSession): Session {
  return { ...issued, role: toRole(issued.role) };
}
