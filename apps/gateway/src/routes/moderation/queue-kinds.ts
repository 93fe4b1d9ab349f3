import { z } from 'zod';
import { QueueKind, type QueueCounts } from '@esd/proto/esd/submission/v1/submission';

const KINDS = {
  all: QueueKind.QUEUE_KIND_UNSPECIFIED,
  new: QueueKind.QUEUE_KIND_NEW,
  corrections: QueueKind.QUEUE_KIND_CORRECTIONS,
  answered: QueueKind.QUEUE_KIND_ANSWERED,
  warnings: QueueKind.QUEUE_KIND_WARNINGS,
  anonymous: QueueKind.QUEUE_KIND_ANONYMOUS,
} as const;

const names = z.enum(['all', 'new', 'corrections', 'answered', 'warnings', 'anonymous']);

export const kindQuery = names.default('all').meta({
  default: 'all',
  description:
    'Selects records that were never published (`new`), records with a published revision (`corrections`), with an answer that no moderator has read (`answered`), with warnings (`warnings`), or without an account (`anonymous`). A submission is of each kind that one of its records is.',
});

const count = z.int().min(0);
export const kindCounts = z
  .strictObject({ all: count, new: count, corrections: count, answered: count, warnings: count, anonymous: count })
  .meta({ description: 'The numbers of items per kind that match all other filters.' });

/** The messages of an entry. */
export const unreadMessages = {
  unread: count.meta({ description: 'The number of messages from the contributor that no moderator has read.' }),
  answered: z.boolean().meta({
    description:
      'Whether the newest message is from the contributor, and no moderator has written, decided, or marked it as read since.',
  }),
};

export function kindToWire(kind: z.output<typeof names>): QueueKind {
  return KINDS[kind];
}

export function countsOf(counts: QueueCounts | undefined): QueueCounts {
  if (!counts) throw new Error('the response has no counts');
  return counts;
}
