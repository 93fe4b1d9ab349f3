import type { Kysely, Transaction } from 'kysely';
import type { AccountRole } from '../account/account.table.ts';
import type { IdentityTables } from '../tables.ts';

/** A session with what its account is at this moment. */
export interface SessionState {
  accountId: string;
  email: string;
  role: AccountRole;
  rememberMe: boolean;
  /** The session has not ended and its account is enabled. */
  live: boolean;
}

function selectSession(database: Kysely<IdentityTables>, sessionId: string) {
  return database
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([
      'session.account_id as accountId',
      'account.email',
      'account.role',
      'session.remember_me as rememberMe',
      'account.enabled',
      'session.ended_at as endedAt',
    ])
    .where('session.id', '=', sessionId);
}

type SelectedSession = Omit<SessionState, 'live'> & { enabled: boolean; endedAt: Date | null };

function toState(row: SelectedSession | undefined): SessionState | undefined {
  if (!row) return undefined;
  const { enabled, endedAt, ...state } = row;
  return { ...state, live: enabled && endedAt === null };
}

export async function findSession(
  database: Kysely<IdentityTables>,
  sessionId: string,
): Promise<SessionState | undefined> {
  return toState(await selectSession(database, sessionId).executeTakeFirst());
}

/** The same, held until the transaction ends: whoever refreshes or ends the session meanwhile waits. */
export async function lockSession(
  transaction: Transaction<IdentityTables>,
  sessionId: string,
): Promise<SessionState | undefined> {
  return toState(await selectSession(transaction, sessionId).forUpdate('session').executeTakeFirst());
}

export async function insertSession(
  transaction: Transaction<IdentityTables>,
  session: { id: string; accountId: string; rememberMe: boolean; expiresAt: Date },
): Promise<void> {
  await transaction
    .insertInto('session')
    .values({
      id: session.id,
      account_id: session.accountId,
      remember_me: session.rememberMe,
      expires_at: session.expiresAt,
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

export async function endSession(transaction: Transaction<IdentityTables>, sessionId: string): Promise<void> {
  await transaction
    .updateTable('session')
    .set({ ended_at: new Date() })
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Ends every session of an account, or every one but `except`. */
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

/** Removes an account's sessions whose last refresh token expired before the given time. */
export async function deleteSessionsExpiredBefore(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  before: Date,
): Promise<void> {
  await transaction
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('expires_at', '<', before)
    .execute();
}
