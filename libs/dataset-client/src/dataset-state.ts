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
