import type { Kysely } from 'kysely';
import { advanceHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { endRows, newerThanStored, storedRecords } from './stored-revisions.ts';

export interface WithdrawnRecord {
  recordId: number;
  /** The record revision that the withdrawal created. */
  recordRevision: number;
  withdrawnAt: Date;
  reason: string;
}

/**
 * Ends the validity of withdrawn records, as one dataset revision. Ignores a withdrawal unless it is newer than all stored revisions of
 * its record. Events may therefore arrive twice, late, or before the approval that they revoke. Returns the dataset revision, or
 * undefined if nothing was new.
 */
export function appendWithdrawn(
  database: Kysely<Tables>,
  withdrawn: readonly WithdrawnRecord[],
): Promise<number | undefined> {
  return database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    const stored = await storedRecords(
      transaction,
      withdrawn.map((one) => one.recordId),
    );
    const fresh = newerThanStored(withdrawn, stored);
    if (fresh.length === 0) return undefined;
    const live = fresh.flatMap(({ recordId }) => (stored.get(recordId)?.isLive ? [recordId] : []));
    // A new revision even if no record ends, because the reported withdrawal changes.
    const recordCount = head.recordCount - live.length;
    const { revision } = await advanceHead(transaction, head, { recordCount, referenceLists: false });
    await endRows(transaction, live, revision);
    await transaction
      .insertInto('withdrawal')
      .values(
        fresh.map(({ recordId, recordRevision, withdrawnAt, reason }) => ({
          record_id: recordId,
          record_revision: recordRevision,
          revision,
          withdrawn_at: withdrawnAt,
          reason,
        })),
      )
      .execute();
    return revision;
  });
}
