import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ImageClient } from './image-client.ts';
import type { QueuedRequest, WorkQueues } from './work-queues.ts';

export interface RecordContext {
  database: Kysely<Tables>;
  references: ReferenceLists;
  images: ImageClient;
  queues: WorkQueues;
  log: Logger;
}

export interface RecordRequest extends QueuedRequest {
  requestId: string;
  /** Milliseconds since the epoch. */
  deadline: number;
}
