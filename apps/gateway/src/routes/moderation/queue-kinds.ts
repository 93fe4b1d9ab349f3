import type { listQueue } from '@esd/api/moderation';
import type { QueryOf } from '@esd/api/operation';
import { QueueKind, type QueueCounts } from '@esd/proto/esd/submission/v1/submission';

/** The service that checks the caller. */
export const MODERATION = ['esd.submission.v1.ModerationService'] as const;

const KINDS = {
  all: QueueKind.QUEUE_KIND_UNSPECIFIED,
  new: QueueKind.QUEUE_KIND_NEW,
  corrections: QueueKind.QUEUE_KIND_CORRECTIONS,
  answered: QueueKind.QUEUE_KIND_ANSWERED,
  warnings: QueueKind.QUEUE_KIND_WARNINGS,
  anonymous: QueueKind.QUEUE_KIND_ANONYMOUS,
} as const;

export function kindToWire(kind: QueryOf<typeof listQueue>['kind']): QueueKind {
  return KINDS[kind];
}

export function countsOf(counts: QueueCounts | undefined): QueueCounts {
  if (!counts) throw new Error('the response has no counts');
  return counts;
}
