import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import { closeIndexRows, insertIndexRows } from '../read-index/index-row.store.ts';
import { referencesAt } from '../reference/references-at.ts';
import type { Tables } from '../tables.ts';
import { insertRecordHashes } from '../dataset-log/record-hashes.ts';
import { advanceHead, lockHead } from '../dataset-log/dataset-log.store.ts';
import { storedRecords, newerThanStored } from './stored-revisions.ts';

/** A record revision that became public. */
export interface ApprovedRevision {
  recordId: number;
  recordRevision: number;
  /** The record as it is served, JSON text. */
  body: string;
  /** The same, read. */
  data: ExperimentData;
  approvedAt: Date;
}

/** Appends approved record revisions to the log, see `logAppender`. */
export type AppendApproved = (approved: readonly ApprovedRevision[]) => Promise<number | undefined>;

/**
 * Makes the appender: it adds approved record revisions to the log, and to what the read index is filled from, as one
 * dataset revision. A revision that is not newer than every one that was ever held of its record, a withdrawal too, is
 * ignored, so that events may come twice, late, or in the wrong order. It returns the dataset revision, or undefined when there was nothing new.
 */
export function logAppender(database: Kysely<Tables>): AppendApproved {
  let references: References | undefined;
  return (approved) =>
    database.transaction().execute(async (transaction) => {
      const head = await lockHead(transaction);
      const held = await storedRecords(
        transaction,
        approved.map((one) => one.recordId),
      );
      const fresh = newerThanStored(approved, held);
      if (fresh.length === 0) return undefined;

      const added = fresh.filter((one) => !held.get(one.recordId)?.isLive).length;
      const recordIds = fresh.map((one) => one.recordId);
      const recordCount = head.recordCount + added;
      const { revision } = await advanceHead(transaction, head, { recordCount, referenceLists: false });
      references = await referencesAt(transaction, revision, references);
      await transaction
        .updateTable('record_revision')
        .set({ valid_to: revision })
        .where('valid_to', 'is', null)
        .where('record_id', 'in', recordIds)
        .execute();
      await closeIndexRows(transaction, recordIds, revision);
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
      await insertRecordHashes(
        transaction,
        fresh.flatMap(({ recordId, body }) => {
          const rowId = rowIds.get(recordId);
          return rowId === undefined ? [] : [{ rowId, body }];
        }),
      );
      await insertIndexRows(
        transaction,
        fresh.flatMap(({ recordId, data, approvedAt }) => {
          const rowId = rowIds.get(recordId);
          return rowId === undefined ? [] : [{ rowId, recordId, validFrom: revision, validTo: null, approvedAt, data }];
        }),
        references,
      );
      return revision;
    });
}
