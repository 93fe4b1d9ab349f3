import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { advanceHead, lockHead } from './dataset-log.store.ts';

/** A record revision that became public. */
export interface ApprovedRevision {
  recordId: number;
  recordRevision: number;
  /** The record as it is served, JSON text. */
  body: string;
  approvedAt: Date;
}

/**
 * Appends approved record revisions to the log as one dataset revision. A revision that is not newer than the one held
 * for its record is ignored, so that events may come twice, late, or in the wrong order. Returns the dataset
 * revision, or undefined when there was nothing new.
 */
export async function appendApproved(
  database: Kysely<Tables>,
  approved: readonly ApprovedRevision[],
): Promise<number | undefined> {
  return database.transaction().execute(async (transaction) => {
    const head = await lockHead(transaction);
    const held = await heldRevisions(
      transaction,
      approved.map((one) => one.recordId),
    );
    const fresh = newestOfEach(approved).filter((one) => one.recordRevision > (held.get(one.recordId) ?? 0));
    if (fresh.length === 0) return undefined;

    const revision = head.revision + 1;
    const added = fresh.filter((one) => !held.has(one.recordId)).length;
    await advanceHead(transaction, { revision, recordCount: head.recordCount + added, referenceLists: false });
    await transaction
      .updateTable('record_revision')
      .set({ valid_to: revision })
      .where('valid_to', 'is', null)
      .where(
        'record_id',
        'in',
        fresh.map((one) => one.recordId),
      )
      .execute();
    await transaction
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
      .execute();
    return revision;
  });
}

async function heldRevisions(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await transaction
    .selectFrom('record_revision')
    .select(['record_id', 'record_revision'])
    .where('record_id', 'in', recordIds)
    .where('valid_to', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.record_id, row.record_revision]));
}

function newestOfEach(approved: readonly ApprovedRevision[]): ApprovedRevision[] {
  const newest = new Map<number, ApprovedRevision>();
  for (const one of approved) {
    if (one.recordRevision > (newest.get(one.recordId)?.recordRevision ?? 0)) newest.set(one.recordId, one);
  }
  return [...newest.values()];
}
