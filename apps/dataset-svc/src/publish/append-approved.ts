import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import { insertIndexRows } from '../read-index/index-row.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { insertRecordHashes } from '../dataset-log/record-hashes.ts';
import { advanceHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import { endRows, newerThanStored, storedRecords } from './stored-revisions.ts';

export interface ApprovedRevision {
  recordId: number;
  recordRevision: number;
  /** The JSON text that is served. */
  body: string;
  data: ExperimentData;
  approvedAt: Date;
}

export type AppendApproved = (approved: readonly ApprovedRevision[]) => Promise<number | undefined>;

/**
 * Creates a function that appends approved record revisions to the log and to the rows of the read index, as one dataset revision.
 * It ignores a revision unless it is newer than all stored approvals and withdrawals of its record. Events may therefore arrive twice,
 * late, or out of order. It returns the dataset revision, or undefined if nothing was new.
 */
export function logAppender(database: Kysely<Tables>): AppendApproved {
  let references: References | undefined;
  return (approved) =>
    database.transaction().execute(async (transaction) => {
      const head = await lockHead(transaction);
      const stored = await storedRecords(
        transaction,
        approved.map((one) => one.recordId),
      );
      const fresh = newerThanStored(approved, stored);
      if (fresh.length === 0) return undefined;

      const added = fresh.filter((one) => !stored.get(one.recordId)?.isLive).length;
      const recordIds = fresh.map((one) => one.recordId);
      const recordCount = head.recordCount + added;
      const { revision } = await advanceHead(transaction, head, { recordCount, referenceLists: false });
      references = await referencesAt(transaction, revision, references);
      await endRows(transaction, recordIds, revision);
      const inserted = await transaction
        .insertInto('record_revision')
        .values(
          fresh.map((one) => ({
            record_id: one.recordId,
            record_revision: one.recordRevision,
            valid_from: revision,
            valid_to: null,
            body: one.body,
            approved_at: one.approvedAt,
          })),
        )
        .returning(['row_id', 'record_id'])
        .execute();
      const rowIds = new Map(inserted.map((row) => [row.record_id, row.row_id]));
      const rows = fresh.map((approval) => {
        const rowId = rowIds.get(approval.recordId);
        if (rowId === undefined) throw new Error(`record ${approval.recordId} has no row`);
        return { ...approval, rowId, validFrom: revision, validTo: null };
      });
      await insertRecordHashes(transaction, rows);
      await insertIndexRows(transaction, rows, references);
      return revision;
    });
}
