import { type Kysely, sql, type Transaction } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { AccountRole } from '@esd/proto/account-role';
import type { IdentityTables } from '../tables.ts';

export interface SessionState {
  accountId: string;
  email: string;
  role: AccountRole;
  rememberMe: boolean;
  twoFactor: boolean;
  /** The latest possible end; refreshes do not extend it. */
  endsAt: Date;
  /** Whether the session has not ended, `endsAt` is in the future, and its account is enabled. */
  live: boolean;
}

export const MAX_SESSION_DAYS = 90;

export function sessionEnd(createdAt: Date): Date {
  return new Date(createdAt.getTime() + MAX_SESSION_DAYS * 86_400_000);
}

function selectSession(database: Kysely<IdentityTables>, sessionId: string) {
  return database
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select((row) => [
      'session.account_id as accountId',
      'account.email',
      'account.role',
      'session.remember_me as rememberMe',
      'account.enabled',
      'session.created_at as createdAt',
      'session.ended_at as endedAt',
      row
        .exists(
          row
            .selectFrom('two_factor')
            .select('two_factor.account_id')
            .whereRef('two_factor.account_id', '=', 'account.id')
            .where('two_factor.confirmed_at', 'is not', null),
        )
        .as('twoFactor'),
    ])
    .where('session.id', '=', sessionId);
}

type SelectedSession = Omit<SessionState, 'live' | 'endsAt' | 'twoFactor'> & {
  enabled: boolean;
  createdAt: Date;
  endedAt: Date | null;
  twoFactor: unknown;
};

function toState(row: SelectedSession | undefined): SessionState | undefined {
  if (!row) return undefined;
  const { enabled, createdAt, endedAt, twoFactor, ...state } = row;
  const endsAt = sessionEnd(createdAt);
  return { ...state, twoFactor: twoFactor === true, endsAt, live: enabled && endedAt === null && endsAt > new Date() };
}

export async function findSession(
  database: Kysely<IdentityTables>,
  sessionId: string,
): Promise<SessionState | undefined> {
  return toState(await selectSession(database, sessionId).executeTakeFirst());
}

/** Locks a session until the transaction ends. Refreshes and logouts of the session wait. */
export async function lockSession(
  transaction: Transaction<IdentityTables>,
  sessionId: string,
): Promise<SessionState | undefined> {
  return toState(await selectSession(transaction, sessionId).forUpdate('session').executeTakeFirst());
}

export async function insertSession(
  transaction: Transaction<IdentityTables>,
  session: {
    id: string;
    accountId: string;
    rememberMe: boolean;
    expiresAt: Date;
    network: string | null;
    userAgent: string | null;
  },
): Promise<void> {
  await transaction
    .insertInto('session')
    .values({
      id: session.id,
      account_id: session.accountId,
      remember_me: session.rememberMe,
      expires_at: session.expiresAt,
      network: session.network,
      user_agent: session.userAgent,
    })
    .execute();
}

export async function extendSession(
  transaction: Transaction<IdentityTables>,
  sessionId: string,
  expiresAt: Date,
): Promise<void> {
  await transaction.updateTable('session').set({ expires_at: expiresAt }).where('id', '=', sessionId).execute();
}

/**
 * Throws TOKEN_REVOKED if the session has ended. The caller must hold the lock of the account, which serializes this
 * check with a change that ends all sessions.
 */
export async function refuseEndedSession(
  transaction: Transaction<IdentityTables>,
  { sessionId }: Pick<Caller, 'sessionId'>,
): Promise<void> {
  if (sessionId === undefined || (await findSession(transaction, sessionId))?.live) return;
  throw new ServiceError('TOKEN_REVOKED', 'The session of this token has ended; sign in again.');
}

/** Ends a session. Returns false if the account has no such live session. */
export async function endOwnSession(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  sessionId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('session')
    .set({ ended_at: new Date() })
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', new Date())
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function endSession(transaction: Transaction<IdentityTables>, sessionId: string): Promise<void> {
  await transaction
    .updateTable('session')
    .set({ ended_at: new Date() })
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .execute();
}

export async function endSessionsOfAccount(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  except?: string,
): Promise<void> {
  await transaction
    .updateTable('session')
    .set({ ended_at: new Date() })
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where((session) => (except === undefined ? session.lit(true) : session('id', '<>', except)))
    .execute();
}

/** Deletes up to `limit` sessions that expired more than `days` days ago. Returns the number of deleted sessions. */
export async function deleteExpiredSessions(
  database: Kysely<IdentityTables>,
  days: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('session')
    .where('id', 'in', (of) =>
      of
        .selectFrom('session')
        .select('id')
        .where('expires_at', '<', sql<Date>`now() - make_interval(days => ${days}::int)`)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
