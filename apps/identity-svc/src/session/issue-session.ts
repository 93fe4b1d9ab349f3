import type { Transaction } from 'kysely';
import type { AccountRole } from '@esd/service/auth/account-role';
import type { IdentityTables } from '../tables.ts';
import { insertRefreshToken } from './refresh-token.store.ts';
import { newOpaqueToken } from '../opaque-token.ts';
import type { SessionTokens } from './session-token.ts';

/** What a login and a refresh hand out. */
export interface IssuedSession {
  /** The session JWT. */
  token: string;
  /** Good for one refresh. */
  refreshToken: string;
  email: string;
  role: AccountRole;
  /** How long `token` is valid. */
  expiresInMs: number;
}

export interface SessionSubject {
  sessionId: string;
  accountId: string;
  email: string;
  role: AccountRole;
}

/** Keeps the next refresh token of a session and hands it out with a session token. */
export async function issueSession(
  transaction: Transaction<IdentityTables>,
  tokens: SessionTokens,
  subject: SessionSubject,
  refreshExpiresAt: Date,
): Promise<IssuedSession> {
  const { sessionId, accountId, email, role } = subject;
  const refreshToken = newOpaqueToken();
  await insertRefreshToken(transaction, { hash: refreshToken.hash, sessionId, expiresAt: refreshExpiresAt });
  return {
    token: tokens.sign({ accountId, sessionId }),
    refreshToken: refreshToken.token,
    email,
    role,
    expiresInMs: tokens.lifetimeMs,
  };
}
