import type { Kysely } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { type IssuedSession, issueSession } from './issue-session.ts';
import { type RefreshLifetime, refreshExpiry } from './refresh-lifetime.ts';
import { findRefreshToken, markRefreshTokenUsed } from './refresh-token.store.ts';
import { opaqueTokenHash } from '../opaque-token.ts';
import { endSession, extendSession, lockSession } from './session.store.ts';
import type { SessionTokens } from './session-token.ts';

/**
 * Exchanges a refresh token for a session token and the next refresh token. A token that was exchanged before ends
 * its session, as RFC 9700 section 4.14.2 asks for, since one of the two who used it has stolen it. Throws TOKEN_INVALID,
 * TOKEN_EXPIRED, or TOKEN_REVOKED when the session has ended, ends by this call, or the account is disabled.
 */
export async function refresh(
  database: Kysely<IdentityTables>,
  tokens: SessionTokens,
  lifetime: RefreshLifetime,
  refreshToken: string,
): Promise<IssuedSession> {
  const hash = opaqueTokenHash(refreshToken);
  const known = hash && (await findRefreshToken(database, hash));
  if (!known) throw invalid();
  const { sessionId } = known;
  const result = await database.transaction().execute(async (transaction): Promise<IssuedSession | ServiceError> => {
    // The session's lock puts everyone who comes with one of its tokens in order; only after it the token is read.
    const session = await lockSession(transaction, sessionId);
    const token = session && (await findRefreshToken(transaction, hash));
    if (!token) return invalid();
    if (token.usedAt !== null) {
      await endSession(transaction, sessionId);
      return revoked();
    }
    const now = new Date();
    if (session.endsAt <= now) {
      return new ServiceError('TOKEN_EXPIRED', 'The session began 90 days ago, and ends with that; log in again.');
    }
    if (!session.live) return revoked();
    if (token.expiresAt <= now) {
      return new ServiceError('TOKEN_EXPIRED', 'The refresh token has expired; log in again.');
    }
    const expiresAt = refreshExpiry(lifetime, session.rememberMe, session.endsAt);
    await markRefreshTokenUsed(transaction, hash, now);
    await extendSession(transaction, sessionId, expiresAt);
    const { accountId, email, role } = session;
    return await issueSession(transaction, tokens, { sessionId, accountId, email, role }, expiresAt);
  });
  // Thrown only here: inside, it would undo the end of the session.
  if (result instanceof ServiceError) throw result;
  return result;
}

function invalid(): ServiceError {
  return new ServiceError('TOKEN_INVALID', 'The refresh token is not valid; log in again.');
}

function revoked(): ServiceError {
  return new ServiceError('TOKEN_REVOKED', 'The session of this refresh token has ended; log in again.');
}
