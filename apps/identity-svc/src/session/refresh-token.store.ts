import type { Kysely, Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface RefreshTokenState {
  sessionId: string;
  expiresAt: Date;
  usedAt: Date | null;
}

export async function findRefreshToken(
  database: Kysely<IdentityTables>,
  tokenHash: Buffer,
): Promise<RefreshTokenState | undefined> {
  return await database
    .selectFrom('refresh_token')
    .select(['session_id as sessionId', 'expires_at as expiresAt', 'used_at as usedAt'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export async function insertRefreshToken(
  transaction: Transaction<IdentityTables>,
  token: { hash: Buffer; sessionId: string; expiresAt: Date },
): Promise<void> {
  await transaction
    .insertInto('refresh_token')
    .values({ token_hash: token.hash, session_id: token.sessionId, expires_at: token.expiresAt })
    .execute();
}

export async function markRefreshTokenUsed(
  transaction: Transaction<IdentityTables>,
  tokenHash: Buffer,
  usedAt: Date,
): Promise<void> {
  await transaction.updateTable('refresh_token').set({ used_at: usedAt }).where('token_hash', '=', tokenHash).execute();
}
