import type { ExperimentData, FiberImage } from '@esd/record/catalogue';
import { nextStatus } from '@esd/record/record-status';
import type { Transaction } from 'kysely';
import type { RecordState } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';
import { addRevisions } from '../update/update.store.ts';
import { contentHash } from '../warnings/judge-records.ts';

/** A record's newest revision, whole. */
export async function getNewestRevision(
  transaction: Transaction<Tables>,
  { id, revision }: Pick<RecordState, 'id' | 'revision'>,
) {
  return transaction
    .selectFrom('record_revision')
    .select(['data', 'missing_fields as missingFields', 'warnings', 'duplicate_hash as duplicateHash'])
    .where('record_id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
}

/** A record's data with other images. */
export function withImages(data: ExperimentData, fiberImages: FiberImage[]): ExperimentData {
  const { fiberImages: _, ...values } = data;
  return fiberImages.length === 0 ? values : { ...values, fiberImages };
}

/**
 * Adds a revision of a record under lock that differs from the newest one only by its images, under the status rules of
 * an update; what is missing beside them stays missing. Returns the number of the revision.
 */
export async function reviseImages(
  transaction: Transaction<Tables>,
  state: Pick<RecordState, 'id' | 'status' | 'revision'>,
  newest: Awaited<ReturnType<typeof getNewestRevision>>,
  data: ExperimentData,
  author: { accountId: string; requestId: string },
): Promise<number> {
  const complete = newest.missingFields.length === 0;
  const next = nextStatus(state.status, { kind: 'update', complete, lenient: true });
  if (next.kind === 'refused') throw new Error(`an update is not foreseen for a record that is ${state.status}`);
  const revision = state.revision + 1;
  const record = { ...newest, json: JSON.stringify(data), contentHash: contentHash(data) };
  await addRevisions(transaction, [{ ...record, recordId: state.id, revision, status: next.status }], author);
  return revision;
}
