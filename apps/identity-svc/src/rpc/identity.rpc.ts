import type { Kysely } from 'kysely';
import { Credential, IdentityServiceService, type Session } from '@esd/proto/esd/identity/v1/identity';
import { roleToWire } from '@esd/proto/account-role';
import { ServiceError } from '@esd/service/errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { requireSession } from '@esd/service/auth/require-caller';
import { listOwnActs } from '../audit/list-audit.ts';
import { requestMail } from '../own-account/request-mail.ts';
import { createFirstAdmin } from '../own-account/create-first-admin.ts';
import { deleteAccount } from '../own-account/delete-account.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import { openPasswords } from '../account/password.ts';
import { register } from '../own-account/register.ts';
import { changePassword, resetPassword } from '../own-account/set-password.ts';
import { updateProfile } from '../own-account/update-profile.ts';
import { verifyEmail, wasVerifiedRecently } from '../own-account/verify-email.ts';
import type { IdentityConfig } from '../config.ts';
import { KEEP_SESSIONS_DAYS } from '../delete-expired.ts';
import { KNOWN_ADDRESS_DAYS, loginThrottle } from '../login-throttle/login-throttle.ts';
import { KEEP_MAILS_DAYS, KEEP_UNVERIFIED_DAYS } from '../mail/delete-expired-mails.ts';
import { assertionSigner } from '../session/assertion-signer.ts';
import type { IssuedSession } from '../session/issue-session.ts';
import { login } from '../login/login.ts';
import { endByRefreshToken } from '../session/logout.ts';
import { refreshChain } from '../session/refresh-chain.ts';
import { refresh } from '../session/refresh.ts';
import { MAX_SESSION_DAYS } from '../session/session.store.ts';
import { resolveBearer } from '../login/resolve-bearer.ts';
import { sessionTokens } from '../session/session-token.ts';
import { openSigningKeys } from '../session/signing-keys.ts';
import type { IdentityTables } from '../tables.ts';
import type { TokenUses } from '../token/token-uses.ts';
import { secretBox } from '../two-factor/secret-box.ts';
import { toAccount } from './account-message.ts';
import { twoFactorRpc } from './two-factor.rpc.ts';

const MAX_TARGETS = 8;
// OWASP recommends one lane for Argon2id.
const PASSWORD_LANES = 1;
// Each hash takes 40 ms of a core and 19 MB. The limit leaves the other threads of the pool free.
const CONCURRENT_HASHES = 2;
const WAITING_HASHES = 50;
const MAX_ACTS = 1_000;
const PROTO_CREDENTIAL = { session: Credential.CREDENTIAL_SESSION, pat: Credential.CREDENTIAL_PAT } as const;

/** Implements IdentityService and TwoFactorService. */
export async function accountRpcs(
  config: IdentityConfig,
  database: Kysely<IdentityTables>,
  tokenUses: Pick<TokenUses, 'note'>,
): Promise<RpcService[]> {
  const { ESD_SECRETS_KEY: secretsKey, ESD_REQUIRE_TWO_FACTOR: requireTwoFactor } = config;
  const box = secretsKey && secretBox(secretsKey);
  const sessionKeys = openSigningKeys(config.ESD_SESSION_PRIVATE_KEYS);
  const tokens = sessionTokens(sessionKeys, config.ESD_SESSION_TOKEN_MINUTES);
  const chain = refreshChain(sessionKeys.privateKey);
  const signAssertion = assertionSigner(openSigningKeys(config.ESD_ASSERTION_PRIVATE_KEYS));
  const lifetime = {
    usualMs: config.ESD_REFRESH_TOKEN_HOURS * 3_600_000,
    rememberedMs: config.ESD_REMEMBERED_REFRESH_TOKEN_DAYS * 86_400_000,
  };
  const passwords = await openPasswords({
    memoryKib: config.ESD_PASSWORD_MEMORY_KIB,
    passes: config.ESD_PASSWORD_PASSES,
    lanes: PASSWORD_LANES,
    concurrency: CONCURRENT_HASHES,
    maxWaiting: WAITING_HASHES,
  });
  const throttle = loginThrottle(database);
  const bootstrapToken = config.ESD_BOOTSTRAP_TOKEN;
  const twoFactor = { database, passwords, throttle, box };

  const identity = rpcService(IdentityServiceService, {
    resolveBearer: async ({ bearer, targets }) => {
      if (targets.length > MAX_TARGETS) {
        throw new ServiceError('INVALID_REQUEST', `There are ${targets.length} targets; the limit is ${MAX_TARGETS}.`);
      }
      const caller = await resolveBearer({ database, tokens, tokenUses, requireTwoFactor }, bearer);
      return {
        role: roleToWire(caller.role),
        credential: PROTO_CREDENTIAL[caller.credential],
        accountId: caller.accountId,
        twoFactorMissing: caller.twoFactorMissing ?? false,
        assertions: targets.map((target) => ({ target, assertion: signAssertion(caller, target) })),
      };
    },
    createFirstAdmin: async (request, context) => ({
      account: toAccount(await createFirstAdmin(database, passwords, bootstrapToken, request, context)),
    }),
    login: async (request, context) => ({
      session: toSession(await login({ ...twoFactor, tokens, lifetime }, request, context)),
    }),
    refresh: async (request) => ({
      session: toSession(await refresh({ database, tokens, lifetime, chain }, request)),
    }),
    endByRefreshToken: async ({ refreshToken }) => {
      await endByRefreshToken(database, refreshToken);
      return {};
    },
    getOwnAccount: async (_request, { caller }) => ({
      account: toAccount(await getOwnAccount(database, caller)),
    }),
    listOwnActs: async ({ limit, beforeId }, context) => {
      const { accountId } = requireSession(context);
      if (limit < 1 || limit > MAX_ACTS)
        throw new ServiceError('INVALID_PARAMETER', `\`limit\` must be between 1 and ${MAX_ACTS}.`);
      const acts = await listOwnActs(database, accountId, { limit, beforeId });
      return { acts: acts.map(({ clientIp, ...act }) => ({ ...act, clientIp: clientIp ?? undefined })) };
    },
    register: async (request, context) => ({ email: await register(database, passwords, request, context) }),
    verifyEmail: async ({ token, onlyCheck }, context) => ({
      alreadyVerified: await (onlyCheck ? wasVerifiedRecently(database, token) : verifyEmail(database, token, context)),
    }),
    resendVerification: async ({ email }) => {
      await requestMail(database, 'resend-verification', email);
      return {};
    },
    forgotPassword: async ({ email }) => {
      await requestMail(database, 'forgot-password', email);
      return {};
    },
    resetPassword: async (request, context) => {
      await resetPassword(database, passwords, throttle, request, context);
      return {};
    },
    changePassword: async (request, context) => {
      await changePassword(database, passwords, throttle, request, context);
      return {};
    },
    updateProfile: async (request, context) => ({
      account: toAccount(await updateProfile(database, request, context)),
    }),
    deleteAccount: async ({ password }, context) => {
      await deleteAccount(database, passwords, throttle, password, context);
      return {};
    },
    getRetention: () =>
      Promise.resolve({
        auditAddressDays: config.ESD_AUDIT_ADDRESS_DAYS,
        sessionDays: MAX_SESSION_DAYS,
        endedSessionDays: KEEP_SESSIONS_DAYS,
        rememberedSessionDays: config.ESD_REMEMBERED_REFRESH_TOKEN_DAYS,
        sessionHours: config.ESD_REFRESH_TOKEN_HOURS,
        mailDays: KEEP_MAILS_DAYS,
        unverifiedAccountDays: KEEP_UNVERIFIED_DAYS,
        knownClientDays: KNOWN_ADDRESS_DAYS,
      }),
  });
  return [identity, twoFactorRpc(twoFactor)];
}

function toSession(issued: IssuedSession): Session {
  return { ...issued, role: roleToWire(issued.role) };
}
