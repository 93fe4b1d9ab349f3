import * as z from 'zod/mini';
import type { ExperimentData } from '@esd/record/catalog/catalog';

export const STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE'] as const;
export type Status = (typeof STATUSES)[number];

/** The kinds of submissions and records in the queue. */
export const KINDS = ['all', 'new', 'corrections', 'answered', 'warnings', 'anonymous'] as const;
export type Kind = (typeof KINDS)[number];

const text = z.optional(z.string());
// The service returns only records in the shape of the catalog.
const record = z.custom<ExperimentData>((value) => typeof value === 'object' && value !== null);

const listed = {
  recordId: z.number(),
  revision: z.number(),
  status: z.enum(STATUSES),
  submissionId: z.number(),
  waitedSeconds: z.number(),
  ownerAccountId: text,
  publishedRevision: z.optional(z.number()),
  origin: text,
  withdrawn: z.optional(z.object({ at: z.string(), reason: z.string() })),
};

export const queueEntry = z.object({
  ...listed,
  polymers: z.array(z.string()),
  warningCount: z.number(),
  summary: z.string(),
  answered: z.boolean(),
});
export type QueueEntry = z.output<typeof queueEntry>;

const count = z.number();
export const kindCounts = z.object({
  all: count,
  new: count,
  corrections: count,
  answered: count,
  warnings: count,
  anonymous: count,
});
export type KindCounts = z.output<typeof kindCounts>;

export const submissionEntry = z.object({
  submissionId: z.number(),
  waitingSince: z.string(),
  ownerAccountId: text,
  records: z.object({ PENDING: count, APPROVED: count, REJECTED: count, NEEDS_UPDATE: count }),
  polymers: z.array(z.string()),
  warningCount: count,
  summary: z.string(),
  answered: z.boolean(),
});
export type SubmissionEntry = z.output<typeof submissionEntry>;

const warning = { path: z.string(), code: z.string(), message: z.string(), severity: z.enum(['high', 'low']) };

export const submissionTable = z.object({
  submissionId: z.number(),
  submitterName: text,
  ownerAccountId: text,
  columns: z.array(
    z.object({
      column: z.string(),
      label: z.string(),
      unit: z.nullable(z.string()),
      distinct: z.number(),
      value: z.nullable(z.string()),
    }),
  ),
  rows: z.array(
    z.object({
      recordId: z.number(),
      revision: z.number(),
      status: z.enum(STATUSES),
      publishedRevision: z.optional(z.number()),
      values: z.record(z.string(), z.string()),
      warnings: z.array(z.object({ ...warning, column: z.nullable(z.string()) })),
      changed: z.array(z.string()),
      duplicates: z.array(z.number()),
      answered: z.boolean(),
    }),
  ),
});
export type SubmissionTable = z.output<typeof submissionTable>;
export type TableRow = SubmissionTable['rows'][number];

export const review = z.object({
  ...listed,
  /** Number of messages from the contributor that no moderator has read. */
  unread: count,
  submitter: z.optional(z.record(z.string(), z.union([z.string(), z.boolean()]))),
  record,
  /** The data that are public, or were public before the withdrawal; absent if they equal `record` or nothing was public. */
  publishedRecord: z.optional(record),
  duplicates: z.array(z.object({ recordId: z.number(), status: z.enum(STATUSES), published: z.boolean() })),
  missingFields: z.array(z.string()),
  warnings: z.array(z.object(warning)),
  history: z.array(
    z.object({ at: z.string(), action: z.string(), revision: z.number(), accountId: text, reason: text }),
  ),
});
export type Review = z.output<typeof review>;

/** A decision of the caller, with the current statuses of its records. */
export const decision = z.object({
  id: z.number(),
  at: z.string(),
  action: z.string(),
  reason: text,
  records: z.array(
    z.object({
      recordId: z.number(),
      record: z.optional(z.object({ status: z.enum(STATUSES), withdrawn: z.boolean() })),
    }),
  ),
  undoUntil: z.nullable(z.string()),
  undoneAt: text,
});
export type Decision = z.output<typeof decision>;

export const histogram = z.object({
  unit: z.string(),
  edges: z.array(z.number()),
  counts: z.array(z.number()),
  below: z.number(),
  above: z.number(),
});
export type Histogram = z.output<typeof histogram>;
