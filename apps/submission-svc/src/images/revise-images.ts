import type { ExperimentData, FiberImage } from '@esd/record/catalog/catalog';
import { nextStatus } from '@esd/record/status/record-status';
import type { Transaction } from 'kysely';
import { contentHash } from '../records/content.ts';
import type { RecordState } from '../records/record.store.ts';
import { addRevisions, type getNewestRevision } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

export function withImages(data: ExperimentData, fiberImages: FiberImage[]): ExperimentData {
  const { fiberImages: _, ...values } = data;
  return fiberImages.length === 0 ? values : { ...values, fiberImages };
}

/** Adds a revision that changes only the images of a locked record. Missing fields may remain missing. Returns its number. */
export async function reviseImages(
  transaction: Transaction<Tables>,
  state: Pick<RecordState, 'id' | 'status' | 'revision'>,
  newest: Awaited<ReturnType<typeof getNewestRevision>>,
  data: ExperimentData,
  author: { accountId: string; requestId: string },
): Promise<number> {
  const complete = newest.missingFields.length === 0;
  const next = nextStatus(state.status, { kind: 'update', complete, lenient: true });
  if (next.kind === 'refused') throw new Error(`no transition by update from ${state.status}`);
  const revision = state.revision + 1;
  const record = { ...newest, json: JSON.stringify(data), contentHash: contentHash(data) };
  await addRevisions(transaction, [{ ...record, recordId: state.id, revision, status: next.status }], author);
  return revision;
}
