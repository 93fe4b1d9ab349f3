const STATE_SEEN = 'x-esd-state-seen';

/** The identity of a dataset state. */
export interface DatasetRevision {
  /** The UUID of the dataset. A different dataset at the same address has a different UUID. */
  datasetId: string;
  /** The number of changes to the dataset, from 0. Not comparable between datasets. */
  revision: number;
}

export interface DatasetState extends DatasetRevision {
  /** The number of published records. */
  recordCount: number;
  /** Absent for the empty dataset. */
  committedAt?: Date | undefined;
}

/** Returns the header with the newest state that the gateway has seen, for internal HTTP endpoints. */
export function stateSeenHeader({ datasetId, revision }: DatasetRevision): Record<string, string> {
  return { [STATE_SEEN]: `${datasetId}.${revision}` };
}

/** Reads the newest state that the gateway has seen; undefined without one. Responses must not be older. */
export function readStateSeen(call: { header: (name: string) => string | undefined }): DatasetRevision | undefined {
  const [, datasetId, revision] = /^([^.]+)\.(\d{1,15})$/.exec(call.header(STATE_SEEN) ?? '') ?? [];
  return datasetId === undefined ? undefined : { datasetId, revision: Number(revision) };
}
