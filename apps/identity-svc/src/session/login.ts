import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { emailInput, normalizeEmail } from '../account/email-address.ts';
import { findAccountByEmail, lockAccountUnchanged } from '../account/account.store.ts';
import type { Passwords } from '../account/password.ts';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { LoginGuard } from '../guess/login-guard.ts';
import type { IdentityTables } from '../tables.ts';
import { type IssuedSession, issueSession } from './issue-session.ts';
import { type RefreshLifetime, refreshExpiry } from './refresh-lifetime.ts';
import { deleteSessionsExpiredBefore, insertSession } from './session.store.ts';
import type { SessionTokens } from './session-token.ts';

export interface LoginRequest {
  email: string;
  password: string;
  /** Lengthens the life of the refresh tokens, nothing else. */
  rememberMe: boolean;
}

const KEEP_EXPIRED_MS = 30 * 24 * 60 * 60_000;

/**
 * Starts a session. Throws BAD_CREDENTIALS, after the same work whether or not there is such an account,
 * EMAIL_NOT_VERIFIED after the right password only, RATE_LIMITED after too many wrong ones, UNAVAILABLE when too many
 * passwords wait to be checked.
 */
export async function login(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  tokens: SessionTokens,
  lifetime: RefreshLifetime,
  guard: LoginGuard,
  request: LoginRequest,
  context: AuditOrigin & { signal: AbortSignal },
): Promise<IssuedSession> {
  const { signal, clientIp } = context;
  const address = emailInput.safeParse(request.email);
  const email = address.success ? normalizeEmail(address.data) : request.email;
  await guard.check(email, clientIp);
  const account = address.success ? await findAccountByEmail(database, email) : undefined;
  const matches = await passwords.verify(account?.password_hash, request.password, signal);
  if (!account?.enabled || !matches) {
    await guard.noteWrong(email, clientIp);
    // Also for an unknown address: the time must not tell the one from the other.
    await database
      .transaction()
      .execute((transaction) =>
        writeAudit(transaction, { action: 'login-failed', actor: null, subject: account?.id ?? null }, context),
      );
    throw badCredentials();
  }
  if (!account.email_verified) {
    throw new ServiceError(
      'EMAIL_NOT_VERIFIED',
      'The e-mail address is not verified yet; follow the link in the mail.',
    );
  }
  signal.throwIfAborted();
  return await database.transaction().execute(async (transaction) => {
    // Without it a change of the password, which ends all sessions, could miss this one.
    if (!(await lockAccountUnchanged(transaction, account.id, account.password_hash, 'read'))) throw badCredentials();
    const sessionId = randomUUID();
    const expiresAt = refreshExpiry(lifetime, request.rememberMe);
    await deleteSessionsExpiredBefore(transaction, account.id, new Date(Date.now() - KEEP_EXPIRED_MS));
    await insertSession(transaction, {
      id: sessionId,
      accountId: account.id,
      rememberMe: request.rememberMe,
      expiresAt,
    });
    await guard.noteRight(transaction, { accountId: account.id, email }, clientIp);
    await writeAudit(transaction, { action: 'login', actor: account.id, subject: account.id }, context);
    const subject = { sessionId, accountId: account.id, email: account.email, role: account.role };
    return await issueSession(transaction, tokens, subject, expiresAt);
  });
}

function badCredentials(): ServiceError {
  return new ServiceError('BAD_CREDENTIALS', 'The e-mail address or the password is wrong.');
}
