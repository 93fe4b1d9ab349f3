import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { findSecret } from '../token/token.store.ts';
import { TOKEN_PREFIX, tokenSecretHash } from '../token/token-secret.ts';
import type { TokenUses } from '../token/token-uses.ts';
import { findSession, type SessionState } from '../session/session.store.ts';
import type { SessionTokens } from '../session/session-token.ts';

type TwoFactorPolicy = 'off' | 'staff';

export interface BearerParts {
  database: Kysely<IdentityTables>;
  tokens: SessionTokens;
  tokenUses: Pick<TokenUses, 'note'>;
  requireTwoFactor: TwoFactorPolicy;
}

/**
 * Returns the caller, according to the current state of the token and its account. Throws TOKEN_INVALID, TOKEN_EXPIRED,
 * or TOKEN_REVOKED. The last means that the session has ended, the token was revoked or replaced, or the account is
 * disabled.
 */
export async function resolveBearer(parts: BearerParts, bearer: string): Promise<Caller> {
  return bearer.startsWith(TOKEN_PREFIX)
    ? await resolveAccessToken(parts, bearer)
    : await resolveSession(parts, bearer);
}

async function resolveSession({ database, tokens, requireTwoFactor }: BearerParts, bearer: string): Promise<Caller> {
  const { accountId, sessionId } = tokens.verify(bearer);
  const session = await findSession(database, sessionId);
  // A missing session existed, because identity-svc signed its token. It was deleted with its account.
  if (!session?.live || session.accountId !== accountId) {
    throw new ServiceError('TOKEN_REVOKED', 'The session of this token has ended; sign in again.');
  }
  return { accountId, ...sessionRights(session, requireTwoFactor), credential: 'session', sessionId };
}

/** Returns the role of the account, or USER if the role requires two-factor sign-in and the account has none. */
function sessionRights(
  { role, twoFactor }: Pick<SessionState, 'role' | 'twoFactor'>,
  policy: TwoFactorPolicy,
): Pick<Caller, 'role' | 'twoFactorMissing'> {
  const isMissing = policy === 'staff' && role !== 'USER' && !twoFactor;
  return isMissing ? { role: 'USER', twoFactorMissing: true } : { role };
}

async function resolveAccessToken(parts: BearerParts, bearer: string): Promise<Caller> {
  const hash = tokenSecretHash(bearer);
  const secret = hash && (await findSecret(parts.database, hash));
  switch (secret?.status) {
    case undefined:
      throw new ServiceError('TOKEN_INVALID', 'The access token is unknown; check that you copied all of it.');
    case 'REVOKED':
      throw new ServiceError('TOKEN_REVOKED', 'The access token was revoked or replaced; create a new one.');
    case 'EXPIRED':
      throw new ServiceError('TOKEN_EXPIRED', 'The access token has expired; create a new one.');
    case 'ACTIVE': {
      const { tokenId, accountId } = secret;
      parts.tokenUses.note(tokenId);
      // USER even if the account has another role, which can only be used in a session.
      return { accountId, role: 'USER', credential: 'pat' };
    }
  }
}
