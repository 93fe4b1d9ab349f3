import { type Generated, sql, type Transaction } from 'kysely';
import { v7 } from 'uuid';

/** Events of a service, written in the transaction of the change that they tell; rows are kept. */
export interface OutboxTable {
  /** UUIDv7; the message id by which JetStream knows a repetition. */
  id: string;
  sequence: Generated<number>;
  subject: string;
  body: Buffer;
  created_at: Generated<Date>;
  published_at: Date | null;
}

export interface OutboxTables {
  outbox: OutboxTable;
}

/** Told by NOTIFY when a row was added. */
export const OUTBOX_CHANNEL = 'esd_outbox';

// A statement takes up to 65,535 parameters.
const ROWS_A_STATEMENT = 1_000;

/** Adds events to the outbox in their order and wakes the relay at the commit. */
export async function addToOutbox(
  transaction: Transaction<OutboxTables>,
  events: readonly { subject: string; body: Uint8Array }[],
): Promise<void> {
  for (let start = 0; start < events.length; start += ROWS_A_STATEMENT) {
    const rows = events.slice(start, start + ROWS_A_STATEMENT);
    await transaction
      .insertInto('outbox')
      .values(rows.map(({ subject, body }) => ({ id: v7(), subject, body: Buffer.from(body), published_at: null })))
      .execute();
  }
  await sql`select pg_notify(${OUTBOX_CHANNEL}, '')`.execute(transaction);
}
