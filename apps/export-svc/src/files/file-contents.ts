import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';

/** What a file says of itself. */
export interface About {
  /** `latest`, the identifier of a release, or the name of a personal snapshot. */
  name: string;
  kind: 'latest' | 'version' | 'snapshot';
  /** When the state came to be; all dates inside the file are this one. */
  date: Date;
  /** The dataset revision. */
  revision: number;
  /** Records in the file. */
  count: number;
  /** JSON text; absent: every record. */
  filter: string | undefined;
  doi: string | undefined;
  license: string;
}

/** What is written to a file: records in ascending order of their ids. */
export interface FileContents {
  about: About;
  chunks: AsyncIterable<RecordChunk>;
}
