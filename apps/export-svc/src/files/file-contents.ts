import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';

export interface About {
  /** Current facts of the dataset, or those frozen with the release. */
  facts: DatasetFacts;
  /** Root URL of the public interface, without a trailing slash; empty if not configured. */
  root: string;
  /** `latest`, the identifier of a release, the name of a personal snapshot, or the id of a public query. */
  name: string;
  kind: 'latest' | 'version' | 'snapshot' | 'query';
  /** The time of the state; the only date inside the file. */
  date: Date;
  revision: number;
  /** Digest of the records of a release, if known: SHA-256, hex. */
  digest?: string | undefined;
  count: number;
  /** JSON text; absent for every record. */
  filter: string | undefined;
  /** The sort keys; absent for ascending record id. */
  sort?: string | undefined;
  doi: string | undefined;
  license: string;
}

export interface FileContents {
  about: About;
  chunks: AsyncIterable<RecordChunk>;
  normalized?: boolean;
}

export type StreamedContents = Pick<FileContents, 'chunks' | 'normalized'>;
