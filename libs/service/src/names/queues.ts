import { ALLOWANCES } from '@esd/api/allowances';
import type { ServiceName } from './services.ts';

interface Queue {
  /** The plural name of its work, for messages. */
  work: string;
  service: ServiceName;
  /** Maximum running and waiting pieces of work in a replica. */
  concurrency: number;
  maxWaiting: number;
}

/** The fair queues of all services. */
export const QUEUES = {
  // Four of the ten default connections; the rest serve pages and single records. An answer waits for one part at a time.
  'answer-parts': {
    work: 'parts of answers',
    service: 'dataset-svc',
    concurrency: 4,
    maxWaiting: ALLOWANCES.shares.bulkReads.amount,
  },
  exports: { work: 'exports', service: 'export-svc', concurrency: 2, maxWaiting: 16 },
  feedback: { work: 'feedback messages', service: 'submission-svc', concurrency: 2, maxWaiting: 50 },
  images: { work: 'images', service: 'media-svc', concurrency: 2, maxWaiting: 64 },
  'large-images': { work: 'large images', service: 'media-svc', concurrency: 1, maxWaiting: 16 },
  // A parsed body takes about ten times its size.
  'large-submissions': { work: 'large submissions', service: 'submission-svc', concurrency: 4, maxWaiting: 200 },
  sheets: { work: 'files', service: 'export-svc', concurrency: 2, maxWaiting: 16 },
  'submission-checks': { work: 'submissions', service: 'submission-svc', concurrency: 1, maxWaiting: 200 },
  // Transactions assign ids one after the other; a second one can prepare while the first one runs.
  'submission-writes': { work: 'submissions', service: 'submission-svc', concurrency: 2, maxWaiting: 200 },
} as const satisfies Record<string, Queue>;

export type QueueName = keyof typeof QUEUES;
