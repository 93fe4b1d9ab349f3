import type { AccountRole } from '@esd/proto/account-role';
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
  /** When `refreshToken` expires, where the login asked to be remembered. */
  rememberedUntil: Date | undefined;
}

export interface SessionSubject {
  sessionId: string;
  accountId: string;
  email: string;
  role: AccountRole;
  rememberMe: boolean;
}

/** Hands out the newest refresh token of a session with a session token. */
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
