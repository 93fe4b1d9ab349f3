/** The response header with the dataset revision from which a response was made. */
export const DATASET_REVISION = 'ESD-Dataset-Revision';

const STATE_SEEN = 'x-esd-state-seen';

/** Names one state of a dataset. */
export interface DatasetRevision {
  /** Identifies the dataset: another that answers at the same address has another one. UUID. */
  datasetId: string;
  /** Counts the changes of the dataset, from 0; it says nothing about another dataset. */
  revision: number;
}

/** A state of a dataset: everything that is published at a revision. */
export interface DatasetState extends DatasetRevision {
  /** Published records. */
  recordCount: number;
  /** When the revision came to be; absent before the first. */
  committedAt?: Date | undefined;
}

/** Returns the header that tells an internal HTTP endpoint the newest state that the gateway has seen. */
export function stateSeenHeader({ datasetId, revision }: DatasetRevision): Record<string, string> {
  return { [STATE_SEEN]: `${datasetId}.${revision}` };
}

/** Reads the newest state that the gateway has seen, undefined where it names none. An older state must not be answered. */
export function readStateSeen(call: { header: (name: string) => string | undefined }): DatasetRevision | undefined {
  const [, datasetId, revision] = /^([^.]+)\.(\d{1,15})$/.exec(call.header(STATE_SEEN) ?? '') ?? [];
  return datasetId === undefined ? undefined : { datasetId, revision: Number(revision) };
}
