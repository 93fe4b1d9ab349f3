import type { Kysely } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface ListedSession {
  id: string;
  createdAt: Date;
  /** When it ends unless it is refreshed. */
  expiresAt: Date;
  rememberMe: boolean;
  /** From where it began, see `addressNetwork`. */
  network: string | null;
  /** The User-Agent with which it began, shortened. */
  userAgent: string | null;
}

const MAX_LISTED = 1_000;

/** The sessions of an account that have not ended, the newest first. */
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
