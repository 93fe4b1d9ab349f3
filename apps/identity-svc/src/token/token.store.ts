import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';

export interface OwnToken {
  id: number;
  name: string;
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
}

export interface SecretState {
  tokenId: number;
  accountId: string;
  status: OwnToken['status'];
}

const MAX_LISTED = 1_000;

const status = sql<OwnToken['status']>`
  case
    when personal_access_token.revoked_at is not null then 'REVOKED'
    when personal_access_token.expires_at <= now() then 'EXPIRED'
    else 'ACTIVE'
  end`;

function selectOwnTokens(database: Kysely<IdentityTables>, accountId: string) {
  return database
    .selectFrom('personal_access_token')
    .innerJoin('personal_access_token_secret as secret', (join) =>
      join.onRef('secret.token_id', '=', 'personal_access_token.id').on('secret.replaced_at', 'is', null),
    )
    .select([
      'personal_access_token.id',
      'personal_access_token.name',
      'secret.prefix',
      'personal_access_token.created_at as createdAt',
      'personal_access_token.expires_at as expiresAt',
      'personal_access_token.last_used_at as lastUsedAt',
      status.as('status'),
    ])
    .where('personal_access_token.account_id', '=', accountId);
}

/** Lists the tokens of an account: active tokens first, each group newest first. */
export async function findOwnTokens(database: Kysely<IdentityTables>, accountId: string): Promise<OwnToken[]> {
  return await selectOwnTokens(database, accountId)
    .orderBy(sql`${status} = 'ACTIVE'`, 'desc')
    .orderBy('personal_access_token.id', 'desc')
    .limit(MAX_LISTED)
    .execute();
}

/** Returns a token of an account and locks it until the transaction ends. */
export async function lockOwnToken(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  id: number,
): Promise<OwnToken | undefined> {
  return await selectOwnTokens(transaction, accountId)
    .where('personal_access_token.id', '=', id)
    .forUpdate('personal_access_token')
    .executeTakeFirst();
}

/** Locks an account until the transaction ends. Returns false if it was deleted or disabled. */
export async function lockTokenOwner(transaction: Transaction<IdentityTables>, accountId: string): Promise<boolean> {
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('enabled', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return account !== undefined;
}

export async function countActiveTokens(transaction: Transaction<IdentityTables>, accountId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom('personal_access_token')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where(status, '=', 'ACTIVE')
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertToken(
  transaction: Transaction<IdentityTables>,
  token: { accountId: string; name: string; days: number | undefined },
): Promise<{ id: number; createdAt: Date; expiresAt: Date | null }> {
  const { accountId, name, days } = token;
  return await transaction
    .insertInto('personal_access_token')
    .values({
      account_id: accountId,
      name,
      expires_at: days === undefined ? null : sql<Date>`now() + make_interval(days => ${days}::int)`,
    })
    .returning(['id', 'created_at as createdAt', 'expires_at as expiresAt'])
    .executeTakeFirstOrThrow();
}

export async function insertTokenSecret(
  transaction: Transaction<IdentityTables>,
  tokenId: number,
  secret: { hash: Buffer; prefix: string },
): Promise<void> {
  await transaction
    .insertInto('personal_access_token_secret')
    .values({ hash: secret.hash, token_id: tokenId, prefix: secret.prefix })
    .execute();
}

export async function markTokenSecretReplaced(transaction: Transaction<IdentityTables>, tokenId: number) {
  await transaction
    .updateTable('personal_access_token_secret')
    .set({ replaced_at: sql`now()` })
    .where('token_id', '=', tokenId)
    .where('replaced_at', 'is', null)
    .execute();
}

/** Revokes all tokens of an account. Returns the number of revoked tokens. */
export async function revokeTokensOfAccount(
  transaction: Transaction<IdentityTables>,
  accountId: string,
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('personal_access_token')
    .set({ revoked_at: sql`now()` })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export async function markTokenRevoked(transaction: Transaction<IdentityTables>, tokenId: number): Promise<void> {
  await transaction
    .updateTable('personal_access_token')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Returns the state of a secret. A token of a disabled account counts as revoked. */
export async function findSecret(database: Kysely<IdentityTables>, hash: Buffer): Promise<SecretState | undefined> {
  return await database
    .selectFrom('personal_access_token_secret as secret')
    .innerJoin('personal_access_token', 'personal_access_token.id', 'secret.token_id')
    .innerJoin('account', 'account.id', 'personal_access_token.account_id')
    .select([
      'personal_access_token.id as tokenId',
      'account.id as accountId',
      sql<OwnToken['status']>`
        case when secret.replaced_at is not null or not account.enabled then 'REVOKED' else ${status} end
      `.as('status'),
    ])
    .where('secret.hash', '=', hash)
    .executeTakeFirst();
}
