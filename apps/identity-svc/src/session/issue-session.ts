import type { AccountRole } from '@esd/proto/account-role';
import type { SessionTokens } from './session-token.ts';

export interface IssuedSession {
  token: string;
  /** Good for one refresh. */
  refreshToken: string;
  email: string;
  role: AccountRole;
  expiresInMs: number;
  /** Expiry of `refreshToken`, only after a login with rememberMe. */
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
