import { randomUUID } from 'node:crypto';
import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import type { Decision, MailKind, MailRow, NewMailRow, NoticeKind } from './mail.table.ts';

export const MAIL_CHANNEL = 'esd_mail';

/** An account, or an email address. Except for `account-deleted`, its account is looked up when the mail is sent. */
export type Recipient = { accountId: string } | { normalizedEmail: string };

/** Queues a mail in the transaction that causes it. The commit wakes the sender. */
export async function queueMail(
  transaction: Transaction<IdentityTables>,
  kind: Exclude<MailKind, NoticeKind | 'records-reviewed' | 'record-message'>,
  to: Recipient,
): Promise<void> {
  await insertMail(transaction, kind, to);
}

export async function insertMail(
  transaction: Transaction<IdentityTables>,
  kind: MailKind,
  to: Recipient,
  content: Partial<Pick<NewMailRow, 'details'>> = {},
): Promise<void> {
  await transaction
    .insertInto('mail')
    .values({ ...newRow(kind, to), ...content })
    .execute();
  await wakeSender(transaction);
}

/** Queues the mail about reviewed records, once per event, if the account exists. */
export async function queueReviewMail(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  decisions: readonly Decision[],
  eventKey: Buffer,
): Promise<void> {
  // Locked, because a concurrent deletion would violate the foreign key.
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return;
  await transaction
    .insertInto('mail')
    .values({
      ...newRow('records-reviewed', { accountId }),
      decisions: JSON.stringify(decisions),
      event_key: eventKey,
    })
    .onConflict((conflict) => conflict.column('event_key').doNothing())
    .execute();
  await wakeSender(transaction);
}

/**
 * Queues a mail about a message in the thread of a record, if the account exists. Queues none if such a mail is waiting
 * or was sent after the message. The account gets at most one such mail per record and hour.
 */
export async function queueMessageMail(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  { recordId, toModerators, writtenAt }: { recordId: number; toModerators: boolean; writtenAt: Date },
): Promise<void> {
  // The lock is exclusive, so that two concurrent messages do not queue two mails.
  const account = await transaction
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!account) return;
  const { covered, again } = await transaction
    .selectFrom('mail')
    .select([
      sql<boolean>`coalesce(bool_or(coalesce(sent_at, given_up_at, 'infinity') >= ${writtenAt}), false)`.as('covered'),
      sql<Date>`greatest(now(), max(sent_at) + interval '1 hour')`.as('again'),
    ])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'record-message')
    .where('record_id', '=', recordId)
    .executeTakeFirstOrThrow();
  if (covered) return;
  const item = { recordId: String(recordId), from: toModerators ? 'owner' : 'moderator' };
  await transaction
    .insertInto('mail')
    .values({
      ...newRow('record-message', { accountId }),
      record_id: recordId,
      details: JSON.stringify([item]),
      next_try_at: again,
    })
    .execute();
  await wakeSender(transaction);
}

function newRow(kind: MailKind, to: Recipient): NewMailRow {
  return {
    id: randomUUID(),
    kind,
    account_id: 'accountId' in to ? to.accountId : null,
    email_normalized: 'normalizedEmail' in to ? to.normalizedEmail : null,
    decisions: null,
    details: null,
    event_key: null,
  };
}

async function wakeSender(transaction: Transaction<IdentityTables>): Promise<void> {
  await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(transaction);
}

export async function deleteWaitingVerifications(
  transaction: Transaction<IdentityTables>,
  accountId: string,
): Promise<void> {
  await transaction
    .deleteFrom('mail')
    .where('account_id', '=', accountId)
    .where('kind', 'in', ['verify-email', 'resend-verification'])
    .where('sent_at', 'is', null)
    .execute();
}

/** Deletes the mails that were requested by email address. The other mails of an account are deleted with its row. */
export async function deleteMailsByAddress(
  transaction: Transaction<IdentityTables>,
  normalizedEmail: string,
): Promise<void> {
  await transaction.deleteFrom('mail').where('email_normalized', '=', normalizedEmail).execute();
}

export async function findDueMails(database: Kysely<IdentityTables>, limit: number): Promise<string[]> {
  const rows = await database
    .selectFrom('mail')
    .select('id')
    .where('sent_at', 'is', null)
    .where('given_up_at', 'is', null)
    .where('next_try_at', '<=', sql<Date>`now()`)
    .orderBy('next_try_at')
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function lockWaitingMail(
  transaction: Transaction<IdentityTables>,
  mailId: string,
): Promise<MailRow | undefined> {
  return await transaction
    .selectFrom('mail')
    .selectAll()
    .where('id', '=', mailId)
    .where('sent_at', 'is', null)
    .where('given_up_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Assigns a mail that was requested by email address to the account. */
export async function bindMail(
  transaction: Transaction<IdentityTables>,
  mailId: string,
  accountId: string,
): Promise<void> {
  await transaction
    .updateTable('mail')
    .set({ account_id: accountId, email_normalized: null })
    .where('id', '=', mailId)
    .execute();
}

export async function deleteMail(transaction: Transaction<IdentityTables>, mailId: string): Promise<void> {
  await transaction.deleteFrom('mail').where('id', '=', mailId).execute();
}

/** Counts the mails of a kind sent in the last hour. `firstPassesAt`: one hour after the first of them was sent. */
export async function findMailsOfLastHour(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  kind: MailKind,
): Promise<{ sent: number; firstPassesAt: Date | null }> {
  return await transaction
    .selectFrom('mail')
    .select((mail) => [
      mail.fn.countAll<number>().as('sent'),
      sql<Date | null>`min(sent_at) + interval '1 hour'`.as('firstPassesAt'),
    ])
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('bundled_into', 'is', null)
    .where('sent_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow();
}

export async function postpone(transaction: Transaction<IdentityTables>, mailId: string, until: Date): Promise<void> {
  await transaction.updateTable('mail').set({ next_try_at: until }).where('id', '=', mailId).execute();
}

/** Merges up to `limit` waiting mails of the same kind into `lead` and returns it. */
export async function bundleWaiting(
  transaction: Transaction<IdentityTables>,
  lead: MailRow,
  limit: number,
): Promise<MailRow> {
  const others = await transaction
    .selectFrom('mail')
    .selectAll()
    .where('account_id', '=', lead.account_id)
    .where('kind', '=', lead.kind)
    .where('id', '<>', lead.id)
    .where('sent_at', 'is', null)
    .where('given_up_at', 'is', null)
    // A mail about a record waits until an hour has passed since the previous mail about it.
    .$if(lead.kind === 'record-message', (query) => query.where('next_try_at', '<=', sql<Date>`now()`))
    .orderBy('created_at')
    .limit(limit)
    .forUpdate()
    .execute();
  if (others.length === 0) return lead;
  await transaction
    .updateTable('mail')
    .set({ bundled_into: lead.id, sent_at: new Date(), decisions: null, details: null })
    .where(
      'id',
      'in',
      others.map(({ id }) => id),
    )
    .execute();
  const all = [lead, ...others].sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
  const joined = (lists: (readonly unknown[] | null)[]): string | null =>
    lists.every((list) => list === null) ? null : JSON.stringify(lists.flatMap((list) => list ?? []));
  return await transaction
    .updateTable('mail')
    .set({ decisions: joined(all.map((one) => one.decisions)), details: joined(all.map((one) => one.details)) })
    .where('id', '=', lead.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function markSent(database: Kysely<IdentityTables>, mailId: string): Promise<void> {
  await database
    .updateTable('mail')
    .set({ sent_at: new Date(), decisions: null, details: null, last_error: null })
    .where('id', '=', mailId)
    .execute();
  await deleteConfirmations(database, [mailId]);
}

/** Deletes the confirmations of deleted accounts among these finished mails. */
async function deleteConfirmations(database: Kysely<IdentityTables>, mailIds: readonly string[]): Promise<void> {
  await database.deleteFrom('mail').where('id', 'in', mailIds).where('kind', '=', 'account-deleted').execute();
}

/** Postpones a refused mail by `firstMs`, doubled after each attempt, up to `longestMs`. */
export async function postponeRefused(
  database: Kysely<IdentityTables>,
  mailId: string,
  firstMs: number,
  longestMs: number,
  reason: string,
): Promise<void> {
  const waitMs = sql`least(${firstMs} * power(2, attempts), ${longestMs})`;
  await database
    .updateTable('mail')
    .set((mail) => ({
      attempts: mail('attempts', '+', 1),
      next_try_at: sql<Date>`now() + ${waitMs} * interval '1 millisecond'`,
      last_error: reason,
    }))
    .where('id', '=', mailId)
    .execute();
}

export async function moveToEnd(database: Kysely<IdentityTables>, mailId: string): Promise<void> {
  await database
    .updateTable('mail')
    .set({ next_try_at: sql<Date>`now()` })
    .where('id', '=', mailId)
    .execute();
}

export async function markGivenUp(database: Kysely<IdentityTables>, mailId: string, reason: string): Promise<void> {
  await database
    .updateTable('mail')
    .set({ given_up_at: new Date(), decisions: null, details: null, last_error: reason })
    .where('id', '=', mailId)
    .execute();
  await deleteConfirmations(database, [mailId]);
}

/** Gives up on every unsent mail older than `hours` hours. Returns their ids. */
export async function giveUpOlderThan(database: Kysely<IdentityTables>, hours: number): Promise<string[]> {
  const rows = await database
    .updateTable('mail')
    .set({ given_up_at: new Date(), decisions: null, details: null })
    .where('sent_at', 'is', null)
    .where('given_up_at', 'is', null)
    .where('created_at', '<', new Date(Date.now() - hours * 3_600_000))
    .returning('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await deleteConfirmations(database, ids);
  return ids;
}

/** The number of mails that wait, and the age of the oldest by the clock of the database. */
export function mailGauges(database: Kysely<IdentityTables>): MeasuredGauges {
  const pending = gauge('esd_mails_pending');
  const oldest = gauge('esd_mails_oldest_seconds');
  return {
    gauges: ['esd_mails_pending', 'esd_mails_oldest_seconds'],
    read: async () => {
      const { count, seconds } = await database
        .selectFrom('mail')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          sql<number | null>`extract(epoch from clock_timestamp() - min(created_at))::float8`.as('seconds'),
        ])
        .where('sent_at', 'is', null)
        .where('given_up_at', 'is', null)
        .executeTakeFirstOrThrow();
      return () => {
        pending.set(count);
        oldest.set(Math.max(0, seconds ?? 0));
      };
    },
  };
}

export async function deleteMailsOlderThan(database: Kysely<IdentityTables>, days: number): Promise<void> {
  await database
    .deleteFrom('mail')
    .where('created_at', '<', new Date(Date.now() - days * 86_400_000))
    .where((mail) => mail.or([mail('sent_at', 'is not', null), mail('given_up_at', 'is not', null)]))
    .execute();
}
