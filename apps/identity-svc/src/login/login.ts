import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { addressNetwork } from '@esd/service/quota-client';
import { ServiceError } from '@esd/service/errors';
import { counter } from '@esd/service/health/metrics';
import { emailInput, normalizeEmail } from '../account/email-address.ts';
import { findAccountByEmail, lockAccountUnchanged, updateAccount } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import type { Passwords } from '../account/password.ts';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { LoginThrottle } from '../login-throttle/login-throttle.ts';
import { queueNotice } from '../mail/notice.ts';
import { newOpaqueToken } from '../opaque-token.ts';
import type { IdentityTables } from '../tables.ts';
import type { SecretBox } from '../two-factor/secret-box.ts';
import { checkSecondFactor } from '../two-factor/second-factor.ts';
import { type IssuedSession, issueSession } from '../session/issue-session.ts';
import { newNetwork } from './new-network.ts';
import { type RefreshLifetime, refreshExpiry } from '../session/refresh-lifetime.ts';
import { insertRefreshToken } from '../session/refresh-token.store.ts';
import { insertSession, sessionEnd } from '../session/session.store.ts';
import type { SessionTokens } from '../session/session-token.ts';

export interface LoginParts {
  database: Kysely<IdentityTables>;
  passwords: Passwords;
  tokens: SessionTokens;
  lifetime: RefreshLifetime;
  throttle: LoginThrottle;
  /** Decrypts the secrets of authenticators; undefined without a key. */
  box: SecretBox | undefined;
}

export interface LoginAttempt {
  email: string;
  password: string;
  /** Extends only the lifetime of the refresh tokens. */
  rememberMe: boolean;
  otp?: string | undefined;
  userAgent?: string | undefined;
}

type Context = AuditOrigin & { signal: AbortSignal };

const MAX_USER_AGENT = 120;

const signIns = counter('esd_sign_ins_total');

/**
 * Logs in to an account. Does the same work whether or not the account exists. Throws BAD_CREDENTIALS (also for a wrong
 * second factor), RATE_LIMITED, and UNAVAILABLE when too many passwords wait to be checked. Throws EMAIL_NOT_VERIFIED
 * and OTP_REQUIRED only after the correct password.
 */
export async function login(parts: LoginParts, request: LoginAttempt, context: Context): Promise<IssuedSession> {
  const { throttle } = parts;
  const address = emailInput.safeParse(request.email);
  const email = address.success ? normalizeEmail(address.data) : request.email;
  await throttle.check(email, context.clientIp);
  const known = { email, hasAddress: address.success };
  const first = await attempt(parts, request, known, context);
  // A concurrent login may have replaced the hash with a costlier hash of the same password.
  const outcome = first === 'changed' ? await attempt(parts, request, known, context) : first;
  if (typeof outcome === 'object' && 'token' in outcome) {
    signIns.inc({ result: 'ok' });
    return outcome;
  }
  signIns.inc({ result: 'failed' });
  // After `changed`, the password was correct when it was first checked, so the attempt does not count as a guess.
  if (typeof first === 'object' && !('token' in first)) {
    await throttle.recordFailure(email, context.clientIp);
    // Also for an unknown address, so that the response time does not reveal which accounts exist.
    const entry = { action: 'login-failed', actor: null, subject: first.accountId };
    await parts.database.transaction().execute((transaction) => writeAudit(transaction, entry, context));
  }
  // The message depends on the fields that were sent, not on the field that was wrong.
  const rest = request.otp === undefined ? ' or the password' : ', the password or the code';
  throw new ServiceError('BAD_CREDENTIALS', `The email address${rest} is wrong.`);
}

/** Returns `accountId` after a failed login, and `changed` if the account changed after the password check. */
async function attempt(
  parts: LoginParts,
  request: LoginAttempt,
  { email, hasAddress }: { email: string; hasAddress: boolean },
  context: Context,
): Promise<IssuedSession | { accountId: string | null } | 'changed'> {
  const { database, passwords } = parts;
  const { signal } = context;
  const account = hasAddress ? await findAccountByEmail(database, email) : undefined;
  const matches = await passwords.verify(account?.password_hash, request.password, signal);
  if (!account?.enabled || !matches) return { accountId: account?.id ?? null };
  if (!account.email_verified) {
    throw new ServiceError(
      'EMAIL_NOT_VERIFIED',
      'The email address is not verified yet; follow the link in the email.',
    );
  }
  const rehashed = passwords.isOutdated(account.password_hash)
    ? await passwords.hash(request.password, signal)
    : undefined;
  signal.throwIfAborted();
  return await database.transaction().execute(async (transaction) => {
    // Without the lock, a password change, which ends all sessions, could miss this session.
    const then = rehashed === undefined ? 'read' : 'change';
    if (!(await lockAccountUnchanged(transaction, account.id, account.password_hash, then))) return 'changed';
    const second = await checkSecondFactor(transaction, parts.box, account.id, request.otp);
    if (second === 'missing') {
      throw new ServiceError('OTP_REQUIRED', 'Send a code from the authenticator, or a recovery code, as "otp".');
    }
    if (second === 'wrong') return { accountId: account.id };
    if (rehashed !== undefined) await updateAccount(transaction, account.id, { password_hash: rehashed });
    return await startSession(parts, transaction, account, request, context);
  });
}

async function startSession(
  { tokens, lifetime, throttle }: LoginParts,
  transaction: Transaction<IdentityTables>,
  { id: accountId, email, email_normalized, role }: AccountRow,
  { rememberMe, userAgent }: LoginAttempt,
  context: Context,
): Promise<IssuedSession> {
  const { clientIp } = context;
  const sessionId = randomUUID();
  const expiresAt = refreshExpiry(lifetime, rememberMe, sessionEnd(new Date()));
  const network = await newNetwork(transaction, { accountId, email: email_normalized }, clientIp);
  if (network !== undefined) await queueNotice(transaction, accountId, 'new-sign-in', { network });
  await insertSession(transaction, {
    id: sessionId,
    accountId,
    rememberMe,
    expiresAt,
    network: clientIp === undefined ? null : addressNetwork(clientIp),
    userAgent: userAgent?.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, ' ').slice(0, MAX_USER_AGENT) ?? null,
  });
  await throttle.recordSuccess(transaction, { accountId, email: email_normalized }, clientIp);
  await writeAudit(transaction, { action: 'login', actor: accountId, subject: accountId }, context);
  const { token, hash } = newOpaqueToken();
  await insertRefreshToken(transaction, { hash, sessionId, expiresAt });
  return issueSession(tokens, { sessionId, accountId, email, role, rememberMe }, { token, expiresAt });
}
