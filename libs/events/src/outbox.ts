import { type Generated, type Kysely, sql, type Transaction } from 'kysely';
import { v7 } from 'uuid';
import type { Outbox } from '@esd/proto/esd/common/v1/status';
import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import { activeTraceparent } from '@esd/service/health/traces';

/** Events of a service, written in the transaction of their change. Published rows remain. */
export interface OutboxTable {
  /** UUIDv7; the message id by which JetStream detects duplicates. */
  id: string;
  sequence: Generated<number>;
  subject: string;
  body: Buffer;
  /** The time of the change, or the later time until which the event waits. */
  created_at: Generated<Date>;
  published_at: Date | null;
  /** The W3C context of the change; null unless its trace is sampled. */
  traceparent: string | null;
}

export interface OutboxTables {
  outbox: OutboxTable;
}

/** The NOTIFY channel for added rows. */
export const OUTBOX_CHANNEL = 'esd_outbox';

// PostgreSQL allows 65,535 parameters per statement.
const ROWS_PER_STATEMENT = 1_000;

/** Adds events to the outbox in order, and returns their ids. The commit wakes the relay, which waits `delaySeconds`. */
export async function addToOutbox(
  transaction: Transaction<OutboxTables>,
  events: readonly { subject: string; body: Uint8Array }[],
  delaySeconds = 0,
): Promise<string[]> {
  const traceparent = activeTraceparent() ?? null;
  const rows = events.map(({ subject, body }) => ({
    id: v7(),
    subject,
    body: Buffer.from(body),
    created_at: sql<Date>`now() + make_interval(secs => ${delaySeconds})`,
    published_at: null,
    traceparent,
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const chunk = rows.slice(start, start + ROWS_PER_STATEMENT);
    await transaction.insertInto('outbox').values(chunk).execute();
  }
  await sql`select pg_notify(${OUTBOX_CHANNEL}, '')`.execute(transaction);
  return rows.map(({ id }) => id);
}

/**
 * Deletes events before they are published, all or none, and returns whether it did. The relay locks the events that it
 * publishes, so an event that is deleted here is never published.
 */
export async function recallFromOutbox(
  transaction: Transaction<OutboxTables>,
  ids: readonly string[],
): Promise<boolean> {
  const waiting = await transaction
    .selectFrom('outbox')
    .select('id')
    .where('id', 'in', ids)
    .where('published_at', 'is', null)
    // In the order of the relay, which prevents deadlocks.
    .orderBy('sequence')
    .forUpdate()
    .execute();
  if (waiting.length < ids.length) return false;
  await transaction.deleteFrom('outbox').where('id', 'in', ids).execute();
  return true;
}

/** Returns the number of events that the relay should have published, and the age of the oldest, by the clock of the database. */
export async function outboxState(database: Kysely<OutboxTables>): Promise<Outbox> {
  const unpublished = database
    .selectFrom('outbox')
    .where('published_at', 'is', null)
    .where('created_at', '<=', sql<Date>`now()`);
  const { waiting } = await unpublished
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  const oldest = await unpublished
    .select(sql<number>`extract(epoch from clock_timestamp() - created_at)::float8`.as('seconds'))
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return { waiting, oldestSeconds: oldest && Math.max(0, oldest.seconds) };
}

export function outboxGauges(database: Kysely<OutboxTables>): MeasuredGauges {
  const pending = gauge('esd_outbox_pending');
  const oldest = gauge('esd_outbox_oldest_seconds');
  return {
    gauges: ['esd_outbox_pending', 'esd_outbox_oldest_seconds'],
    read: async () => {
      const { waiting, oldestSeconds } = await outboxState(database);
      return () => {
        pending.set(waiting);
        oldest.set(oldestSeconds ?? 0);
      };
    },
  };
}

/**
 * Makes the relay publish all events again, or those created since an ISO 8601 time. Use it after the loss of the stream,
 * or after the restore of an older consumer database. Events get new message ids, so that JetStream does not drop them as
 * duplicates, and start no trace. Returns their number. Throws if `since` is invalid.
 */
export async function republish(database: Kysely<OutboxTables>, since?: string): Promise<number> {
  const from = new Date(since ?? 0);
  if (Number.isNaN(from.getTime())) throw new Error(`"${since}" is not a time such as 2026-01-31T12:00:00Z`);
  // Ids sort by time; the new ids are greater than `end`, so that no event is processed twice.
  const end = v7();
  let after = '00000000-0000-0000-0000-000000000000';
  let count = 0;
  for (;;) {
    const rows = await database
      .selectFrom('outbox')
      .select(['id', 'published_at', 'created_at'])
      .where('id', '>', after)
      .where('id', '<', end)
      .orderBy('id')
      .limit(ROWS_PER_STATEMENT)
      .execute();
    const last = rows.at(-1);
    if (!last) return count;
    after = last.id;
    const old = rows.filter((row) => row.published_at !== null && row.created_at >= from).map(({ id }) => id);
    await sql`
      update outbox set id = renamed.new_id, published_at = null, traceparent = null
      from unnest(${old}::uuid[], ${old.map(() => v7())}::uuid[]) as renamed (old_id, new_id)
      where outbox.id = renamed.old_id`.execute(database);
    await sql`select pg_notify(${OUTBOX_CHANNEL}, '')`.execute(database);
    count += old.length;
  }
}
