import type { Kysely } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface ListedSession {
  id: string;
  createdAt: Date;
  /** The end of the session if it is not refreshed again. */
  expiresAt: Date;
  rememberMe: boolean;
  /** The network of the login, see `addressNetwork`. */
  network: string | null;
  /** The User-Agent of the login, shortened. */
  userAgent: string | null;
}

const MAX_LISTED = 1_000;

/** Lists the live sessions of an account, newest first. */
export async function listSessions(database: Kysely<IdentityTables>, accountId: string): Promise<ListedSession[]> {
  return await database
    .selectFrom('session')
    .select([
      'id',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'remember_me as rememberMe',
      'network',
      'user_agent as userAgent',
    ])
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', new Date())
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();
}
