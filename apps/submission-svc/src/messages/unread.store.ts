import type { RecordStatus } from '@esd/record/status/record-status';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

const DECISIONS = ['approve', 'reject', 'withdraw', 'restore', 'reopen'] as const;
const MAX_THREADS = 100;

/** The unread messages of a thread. */
export interface Unread {
  /** Number of messages from moderators that the owner has not read. */
  byOwner: number;
  /** Number of messages from the owner that no moderator has read. The record is `answered` if there are any. */
  byModerators: number;
}

/** Whether a moderator waits for an answer of the owner. A published record needs none. */
export function needsAnswer(status: RecordStatus, unreadByOwner: number): boolean {
  return unreadByOwner > 0 && status !== 'APPROVED';
}

/** Counts the unread messages of records, in one statement. A record without any is absent. */
export async function countUnread(
  database: Kysely<Tables>,
  recordIds: readonly number[],
): Promise<Map<number, Unread>> {
  const rows = await unreadMessages(database)
    .select(({ fn }) => [
      'message.record_id as recordId',
      fn.countAll<number>().filterWhere('message.from_owner', '=', false).as('byOwner'),
      fn.countAll<number>().filterWhere('message.from_owner', '=', true).as('byModerators'),
    ])
    .where('message.record_id', '=', sql<number>`any(${recordIds}::bigint[])`)
    .groupBy('message.record_id')
    .execute();
  return new Map(rows.map(({ recordId, ...unread }) => [recordId, unread]));
}

export interface UnreadThread {
  recordId: number;
  submissionId: number;
  messages: number;
  needsAnswer: boolean;
}

/** Finds the threads of an account with unread messages, newest message first, at most 100, and the number of all messages. */
export async function findUnreadThreads(
  database: Kysely<Tables>,
  accountId: string,
): Promise<{ messages: number; threads: UnreadThread[] }> {
  const rows = await unreadMessages(database)
    .innerJoin('record', 'record.id', 'message.record_id')
    .select(({ fn }) => [
      'record.id as recordId',
      'record.submission_id as submissionId',
      'record.status',
      fn.countAll<number>().as('messages'),
      sql<number>`(sum(count(*)) over ())::bigint`.as('total'),
    ])
    .where('record.owner_account_id', '=', accountId)
    .where('message.from_owner', '=', false)
    .groupBy('record.id')
    .orderBy(({ fn }) => fn.max('message.id'), 'desc')
    .limit(MAX_THREADS)
    .execute();
  return {
    messages: rows[0]?.total ?? 0,
    threads: rows.map(({ status, total: _, ...thread }) => ({
      ...thread,
      needsAnswer: needsAnswer(status, thread.messages),
    })),
  };
}

/** Counts the records that await review, and those with an answer that no moderator has read. */
export async function countModeration(database: Kysely<Tables>): Promise<{ waiting: number; answered: number }> {
  const { waiting } = await database
    .selectFrom('record')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('status', '=', 'PENDING')
    .executeTakeFirstOrThrow();
  const { answered } = await unreadMessages(database)
    .select(({ fn }) => fn.count<number>('message.record_id').distinct().as('answered'))
    .where('message.from_owner', '=', true)
    .executeTakeFirstOrThrow();
  return { waiting, answered };
}

/**
 * Selects the unread messages: the other side has neither written since nor marked them as read, and no moderator has
 * decided since the owner wrote.
 */
export function unreadMessages(database: Kysely<Tables>) {
  return database
    .selectFrom('message')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('read_mark')
            .select('read_mark.record_id')
            .whereRef('read_mark.record_id', '=', 'message.record_id')
            .whereRef('read_mark.by_owner', '<>', 'message.from_owner')
            .whereRef('read_mark.message_id', '>=', 'message.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('message as later')
            .select('later.id')
            .whereRef('later.record_id', '=', 'message.record_id')
            .whereRef('later.from_owner', '<>', 'message.from_owner')
            .whereRef('later.id', '>', 'message.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit')
            .select('audit.id')
            .whereRef('audit.record_id', '=', 'message.record_id')
            .whereRef('audit.at', '>=', 'message.created_at')
            .where('message.from_owner', '=', true)
            .where('audit.action', 'in', DECISIONS),
        ),
      ),
    );
}
