import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { RecordMessage } from '@esd/proto/esd/events/v1/record_message';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql, type Transaction } from 'kysely';
import { delayAccountDeletion } from '../records/deleted-account.store.ts';
import { lockRecords } from '../records/record.store.ts';
import type { Tables } from '../tables.ts';

const MAX_MESSAGES = 50;
const MAX_TEXT_LENGTH = 2_000;

/** A message as seen by a member of its thread; the author is known by role only. */
export interface ThreadMessage {
  id: number;
  fromOwner: boolean;
  mine: boolean;
  text: string;
  createdAt: Date;
}

/** Lists the messages of a record, oldest first. Throws the errors of requireMember. */
export async function listMessages(
  database: Kysely<Tables>,
  recordId: number,
  caller: Caller,
): Promise<ThreadMessage[]> {
  const record = await database
    .selectFrom('record')
    .select('owner_account_id as ownerAccountId')
    .where('id', '=', recordId)
    .executeTakeFirst();
  requireMember(recordId, record?.ownerAccountId ?? null, caller);
  const rows = await database
    .selectFrom('message')
    .selectAll()
    .where('record_id', '=', recordId)
    .orderBy('id')
    .execute();
  return rows.map((row) => toMessage(row, caller));
}

/** Stores a message and the event for its mail. Throws the errors of requireMember, and CONFLICT after 50 messages. */
export async function addMessage(
  database: Kysely<Tables>,
  recordId: number,
  text: string,
  caller: Caller,
): Promise<ThreadMessage> {
  if (text.length < 1 || text.length > MAX_TEXT_LENGTH) {
    throw new ServiceError('INVALID_PARAMETER', `\`text\` must have 1 to ${MAX_TEXT_LENGTH} characters.`);
  }
  return database.transaction().execute(async (transaction) => {
    // The lock of the account comes first, as in its deletion.
    await delayAccountDeletion(transaction, caller.accountId);
    const ownerAccountId = (await lockRecords(transaction, [recordId])).get(recordId)?.ownerAccountId ?? null;
    const owner = requireMember(recordId, ownerAccountId, caller);
    const { count } = await transaction
      .selectFrom('message')
      .select((on) => on.fn.countAll<number>().as('count'))
      .where('record_id', '=', recordId)
      .executeTakeFirstOrThrow();
    if (count >= MAX_MESSAGES) {
      throw new ServiceError('CONFLICT', `Record ${recordId} already has the maximum of ${MAX_MESSAGES} messages.`);
    }
    const fromOwner = owner === caller.accountId;
    const row = await transaction
      .insertInto('message')
      .values({
        record_id: recordId,
        from_owner: fromOwner,
        author_account_id: caller.accountId,
        text,
        // Not the start of the transaction, which may precede a decision that held the lock.
        created_at: sql`clock_timestamp()`,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const accountIds = fromOwner ? await moderatorsIn(transaction, recordId) : [owner];
    if (accountIds.length > 0) {
      const event = { recordId, messageId: row.id, accountIds, toModerators: fromOwner, writtenAt: row.created_at };
      await addToOutbox(transaction, [{ subject: SUBJECTS.recordMessage, body: RecordMessage.encode(event).finish() }]);
    }
    return toMessage(row, caller);
  });
}

/**
 * Marks the messages of a record up to `upTo` as read, by the owner or by all moderators. Marks nothing and returns false
 * if the record has no such message. An older mark never replaces a newer one. Throws the errors of requireMember.
 */
export async function markRead(
  database: Kysely<Tables>,
  recordId: number,
  upTo: number,
  caller: Caller,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const ownerAccountId = (await lockRecords(transaction, [recordId])).get(recordId)?.ownerAccountId ?? null;
    const owner = requireMember(recordId, ownerAccountId, caller);
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('read_mark')
      .columns(['record_id', 'by_owner', 'message_id'])
      .expression((on) =>
        on
          .selectFrom('message')
          .select(({ val }) => ['record_id', val(owner === caller.accountId).as('by_owner'), 'id'])
          .where('record_id', '=', recordId)
          .where('id', '=', upTo),
      )
      .onConflict((on) =>
        on.columns(['record_id', 'by_owner']).doUpdateSet({
          message_id: sql`greatest(read_mark.message_id, excluded.message_id)`,
        }),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
}

/** Throws RECORD_NOT_FOUND unless the record has an owner, and the caller is the owner, a moderator, or an admin. */
function requireMember(recordId: number, ownerAccountId: string | null, { accountId, role }: Caller): string {
  if (ownerAccountId !== null && (ownerAccountId === accountId || role !== 'USER')) return ownerAccountId;
  throw new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
}

async function moderatorsIn(transaction: Transaction<Tables>, recordId: number): Promise<string[]> {
  const rows = await transaction
    .selectFrom('message')
    .select('author_account_id as accountId')
    .distinct()
    .where('record_id', '=', recordId)
    .where('from_owner', '=', false)
    .where('author_account_id', 'is not', null)
    .$narrowType<{ accountId: string }>()
    .orderBy('author_account_id')
    .execute();
  return rows.map(({ accountId }) => accountId);
}

function toMessage(
  row: { id: number; from_owner: boolean; author_account_id: string | null; text: string; created_at: Date },
  { accountId }: Caller,
): ThreadMessage {
  return {
    id: row.id,
    fromOwner: row.from_owner,
    mine: row.author_account_id === accountId,
    text: row.text,
    createdAt: row.created_at,
  };
}
