import type { Kysely } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import type { AssertionSigner } from './assertion-signer.ts';
import { findSession } from './session.store.ts';
import type { SessionTokens } from './session-token.ts';

/**
 * The assertion of who a bearer stands for, by the state of session and account at this moment. Throws
 * TOKEN_INVALID, TOKEN_EXPIRED, or TOKEN_REVOKED when the session has ended or the account is disabled or deleted.
 */
export async function resolveBearer(
  database: Kysely<IdentityTables>,
  tokens: SessionTokens,
  signAssertion: AssertionSigner,
  bearer: string,
): Promise<string> {
  const { accountId, sessionId } = tokens.verify(bearer);
  const session = await findSession(database, sessionId);
  // A session that is not there was deleted with its account: the token was signed here, so it did exist.
  if (!session?.live || session.accountId !== accountId) {
    throw new ServiceError('TOKEN_REVOKED', 'The session of this token has ended; log in again.');
  }
  return signAssertion({ accountId, role: session.role, credential: 'session' });
}
