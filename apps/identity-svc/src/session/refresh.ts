import type { Kysely, Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { type IssuedSession, issueSession } from './issue-session.ts';
import type { RefreshChain } from './refresh-chain.ts';
import { type RefreshLifetime, refreshExpiry } from './refresh-lifetime.ts';
import { findRefreshToken, insertRefreshToken, markRefreshTokenUsed } from './refresh-token.store.ts';
import { newOpaqueToken, opaqueTokenHash } from '../opaque-token.ts';
import { endSession, extendSession, lockSession } from './session.store.ts';
import type { SessionTokens } from './session-token.ts';

export interface RefreshParts {
  database: Kysely<IdentityTables>;
  tokens: SessionTokens;
  lifetime: RefreshLifetime;
  chain: RefreshChain;
}

export interface RefreshAttempt {
  refreshToken: string;
  /** The token is a browser cookie, which tabs share and which a lost response does not replace. */
  shared?: boolean | undefined;
}

const GRACE_MS = 30_000;
// Five refreshes per second during the grace period.
const MAX_STEPS = 150;

/**
 * Exchanges a refresh token. A second exchange ends the session (RFC 9700 section 4.14.2), because one of the two users
 * has stolen the token. For a shared token, a second exchange within 30 seconds returns the newest token of the session
 * instead. Throws TOKEN_INVALID, TOKEN_EXPIRED, or TOKEN_REVOKED when the session has ended or the account is disabled.
 */
export async function refresh(
  { database, tokens, lifetime, chain }: RefreshParts,
  { refreshToken, shared = false }: RefreshAttempt,
): Promise<IssuedSession> {
  const hash = opaqueTokenHash(refreshToken);
  const known = hash && (await findRefreshToken(database, hash));
  if (!known) throw invalid();
  const { sessionId } = known;
  const result = await database.transaction().execute(async (transaction): Promise<IssuedSession | ServiceError> => {
    // The lock serializes uses of the session's tokens, so the token is read again once the lock is held.
    const session = await lockSession(transaction, sessionId);
    const token = session && (await findRefreshToken(transaction, hash));
    if (!token) return invalid();
    const subject = { ...session, sessionId };
    const now = new Date();
    if (token.usedAt !== null) {
      const isRepeat = shared && session.live && now.getTime() - token.usedAt.getTime() <= GRACE_MS;
      const newest = isRepeat ? await newestOf(transaction, chain, refreshToken) : undefined;
      if (newest) return issueSession(tokens, subject, newest);
      await endSession(transaction, sessionId);
      return revoked();
    }
    if (session.endsAt <= now) {
      return new ServiceError('TOKEN_EXPIRED', 'The session has reached its limit of 90 days; sign in again.');
    }
    if (!session.live) return revoked();
    if (token.expiresAt <= now) {
      return new ServiceError('TOKEN_EXPIRED', 'The refresh token has expired; sign in again.');
    }
    const expiresAt = refreshExpiry(lifetime, session.rememberMe, session.endsAt);
    const next = shared ? chain(refreshToken) : newOpaqueToken();
    await markRefreshTokenUsed(transaction, hash, now);
    await insertRefreshToken(transaction, { hash: next.hash, sessionId, expiresAt });
    await extendSession(transaction, sessionId, expiresAt);
    return issueSession(tokens, subject, { token: next.token, expiresAt });
  });
  // Thrown after the transaction, because an error within it would roll back the end of the session.
  if (result instanceof ServiceError) throw result;
  return result;
}

/** Returns the newest token of the chain, or undefined if one of its tokens was not derived. */
async function newestOf(
  transaction: Transaction<IdentityTables>,
  chain: RefreshChain,
  used: string,
): Promise<{ token: string; expiresAt: Date } | undefined> {
  let token = used;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const next = chain(token);
    const state = await findRefreshToken(transaction, next.hash);
    if (!state) return undefined;
    token = next.token;
    if (state.usedAt === null) return { token, expiresAt: state.expiresAt };
  }
  return undefined;
}

function invalid(): ServiceError {
  return new ServiceError('TOKEN_INVALID', 'The refresh token is not valid; sign in again.');
}

function revoked(): ServiceError {
  return new ServiceError('TOKEN_REVOKED', 'The session of this refresh token has ended; sign in again.');
}
