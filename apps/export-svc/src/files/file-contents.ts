import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';

/** What a file says of itself. */
export interface About {
  /** Of the dataset, or those that the release has kept. */
  facts: DatasetFacts;
  /** Where the interface is, without a slash at the end; empty where that is not configured. */
  root: string;
  /** `latest`, the identifier of a release, the name of a personal snapshot, or the id of a public query. */
  name: string;
  kind: 'latest' | 'version' | 'snapshot' | 'query';
  /** When the state came to be; all dates inside the file are this one. */
  date: Date;
  /** The dataset revision. */
  revision: number;
  /** Of the records of a release, where it is known: SHA-256, hex. */
  digest?: string | undefined;
  /** Records in the file. */
  count: number;
  /** JSON text; absent: every record. */
  filter: string | undefined;
  /** The keys that the records are sorted by; absent: by ascending record id. */
  sort?: string | undefined;
  doi: string | undefined;
  license: string;
}

/** What is written to a file. */
export interface FileContents {
  about: About;
  /** Records in their order. */
  chunks: AsyncIterable<RecordChunk>;
  /** Whether each record comes with its normalized values. */
  normalized?: boolean;
}

/** What is written while the records come. */
export type StreamedContents = Pick<FileContents, 'chunks' | 'normalized'>;
