import type { AccountRole } from '@esd/proto/account-role';
import type { SessionTokens } from './session-token.ts';

export interface IssuedSession {
  token: string;
  /** The token for the next refresh; it works once. */
  refreshToken: string;
  email: string;
  role: AccountRole;
  expiresInMs: number;
  /** The expiry of `refreshToken`; undefined after a login without rememberMe. */
  rememberedUntil: Date | undefined;
}

export interface SessionSubject {
  sessionId: string;
  accountId: string;
  email: string;
  role: AccountRole;
  rememberMe: boolean;
}

export function issueSession(
  tokens: SessionTokens,
  { sessionId, accountId, email, role, rememberMe }: SessionSubject,
  refresh: { token: string; expiresAt: Date },
): IssuedSession {
  return {
    token: tokens.sign({ accountId, sessionId }),
    refreshToken: refresh.token,
    email,
    role,
    expiresInMs: tokens.lifetimeMs,
    rememberedUntil: rememberMe ? refresh.expiresAt : undefined,
  };
}
