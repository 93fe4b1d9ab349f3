/** The kinds of submissions and records in the review queue. */
export const queueKinds = ['all', 'new', 'corrections', 'answered', 'warnings', 'anonymous'] as const;

export type QueueKind = (typeof queueKinds)[number];
