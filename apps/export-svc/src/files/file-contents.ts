import type { RecordChunk } from '@esd/proto/esd/dataset/v1/dataset';
import type { DatasetFacts } from '@esd/record/metadata/dataset-facts';

export interface About {
  /** The current facts of the dataset, or those frozen with the release. */
  facts: DatasetFacts;
  /** The root URL of the public interface, without a trailing slash; empty if not configured. */
  root: string;
  /** `latest`, the identifier of a release, the name of a personal snapshot, or the id of a public query. */
  name: string;
  kind: 'latest' | 'version' | 'snapshot' | 'query';
  /** The time of the dataset revision. The file contains no other date, so that its bytes are reproducible. */
  date: Date;
  revision: number;
  /** The digest of the records of a release, if known: SHA-256 in hexadecimal digits. */
  digest?: string | undefined;
  count: number;
  /** The filter as JSON text; undefined for all records. */
  filter: string | undefined;
  /** The sort keys as text; undefined for ascending record id. */
  sort?: string | undefined;
  /** Whether each group of records that repeat each other is one record. */
  once?: boolean;
  doi: string | undefined;
  license: string;
}

export interface FileContents {
  about: About;
  chunks: AsyncIterable<RecordChunk>;
  normalized?: boolean;
}

export type StreamedContents = Pick<FileContents, 'chunks' | 'normalized'>;
