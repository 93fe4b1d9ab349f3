import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../tables.ts';

export interface StoredRecord {
  /** The newest record revision that was approved or withdrew the record. */
  newest: number;
  isLive: boolean;
}

/** Finds stored records by id. Omits records that are not in the log. The caller holds the head's lock. */
export async function storedRecords(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<Map<number, StoredRecord>> {
  const { rows } = await sql<StoredRecord & { id: number }>`
    select record_id as id, max(record_revision) as newest, bool_or(is_live) as "isLive"
    from (
      select record_id, record_revision, valid_to is null as is_live from record_revision
      where record_id = any(${recordIds}::bigint[])
      union all
      select record_id, record_revision, false from withdrawal where record_id = any(${recordIds}::bigint[])
    ) as stored
    group by record_id`.execute(transaction);
  return new Map(rows.map(({ id, ...stored }) => [id, stored]));
}

/** Returns the newest event of each record, if it is newer than the stored revisions. */
export function newerThanStored<Event extends { recordId: number; recordRevision: number }>(
  events: readonly Event[],
  stored: ReadonlyMap<number, StoredRecord>,
): Event[] {
  const newest = new Map<number, Event>();
  for (const event of events) {
    const known = newest.get(event.recordId)?.recordRevision ?? stored.get(event.recordId)?.newest ?? 0;
    if (event.recordRevision > known) newest.set(event.recordId, event);
  }
  return [...newest.values()];
}

/** Ends the validity of the rows of records, in the log and in the read index. */
export async function endRows(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
  validTo: number,
): Promise<void> {
  for (const table of ['record_revision', 'index_row'] as const) {
    await transaction
      .updateTable(table)
      .set({ valid_to: validTo })
      .where('valid_to', 'is', null)
      .where('record_id', '=', sql<number>`any(${recordIds})`)
      .execute();
  }
}
