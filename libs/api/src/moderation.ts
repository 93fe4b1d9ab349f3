import { queueKinds } from '@esd/record/status/queue-kinds';
import { z } from 'zod';
import { experimentData } from './catalog-schema.ts';
import { idText } from './number-text.ts';
import { type Description, operation } from './operation.ts';
import { originText } from './origin-text.ts';
import { pagedHeaders, pagedQuery, pagedResponse } from './paged-list.ts';
import { plainText } from './plain-text.ts';
import { recordStatus } from './record-status.ts';
import { recordWarning } from './record-warning.ts';
import { withdrawn } from './withdrawn.ts';

const MAX_SEARCH_LENGTH = 320;
const MAX_REVISION = 2 ** 31 - 1;
const MAX_RECORDS = 1_000;
const MAX_REASON_LENGTH = 500;
export const REVIEWER = 'Requires the role MODERATOR or ADMIN.';

const count = z.int().min(0);

const kindQuery = z.enum(queueKinds).default('all').meta({
  default: 'all',
  description:
    'Selects records that were never published (`new`), records with a published revision (`corrections`), with an answer that no moderator has read (`answered`), with warnings (`warnings`), or without an account (`anonymous`). A submission is of each kind that one of its records is.',
});

const kindCounts = z
  .strictObject({ all: count, new: count, corrections: count, answered: count, warnings: count, anonymous: count })
  .meta({ description: 'The numbers of items per kind that match all other filters.' });

/** The messages of an entry. */
const unreadMessages = {
  unread: count.meta({ description: 'The number of messages from the contributor that no moderator has read.' }),
  answered: z.boolean().meta({
    description:
      'Whether the newest message is from the contributor, and no moderator has written, decided, or marked it as read since.',
  }),
};

const statusQuery = recordStatus.default('PENDING').meta({ default: 'PENDING' });

const queueQuery = z.object({
  status: statusQuery,
  kind: kindQuery,
  submitter: plainText(1, MAX_SEARCH_LENGTH).optional().meta({
    description: 'An account id, or part of the name or the email address in `userMetadata` (case-insensitive).',
  }),
  polymer: plainText(1, MAX_SEARCH_LENGTH)
    .optional()
    .meta({ description: 'Matches like `polymer` in a filter of the dataset.' }),
  origin: originText
    .optional()
    .meta({ description: 'The `origin` of an entry. Selects the records from the same network.' }),
  submissionId: idText.optional().meta({
    description: 'The `submissionId` of an entry. Selects the records of the same submission.',
  }),
  ...pagedQuery.shape,
});

/** Members that the queue and the review of one record share. */
const waiting = {
  recordId: z.int(),
  revision: z.int().meta({ description: 'The newest revision.' }),
  status: recordStatus,
  submissionId: z.int(),
  submittedAt: z.iso.datetime(),
  waitingSince: z.iso.datetime().meta({ description: 'The time at which the record got its status.' }),
  waitedSeconds: z.int().min(0),
  ownerAccountId: z.uuid().optional().meta({ description: 'Absent for a record without an account.' }),
  publishedRevision: z.int().optional().meta({ description: 'The public revision, if there is one.' }),
  origin: z.string().optional().meta({
    description:
      'Present only for a record without an account that awaits review. It is the same for all records from one network (IPv4 /24 or IPv6 /48) within a calendar month, and reveals nothing else. It is erased with the decision, or after 90 days.',
  }),
  erasedAt: z.iso
    .datetime()
    .optional()
    .meta({ description: 'The time at which the content of the record was erased.' }),
  withdrawn: withdrawn.optional().meta({ description: 'Present if the record was withdrawn from the dataset.' }),
  ...unreadMessages,
};

const queueEntry = z
  .strictObject({
    ...waiting,
    submitterName: z.string().optional().meta({ description: 'The name in `userMetadata`.' }),
    polymers: z.array(z.string()),
    publicationTitle: z.string().optional(),
    doi: z.string().optional(),
    warningCount: z.int().min(0),
    summary: z.string().meta({
      description:
        'Up to four values that differ within the submission of the record, as in `DMF · 15 kV · 15 cm · 240 nm`. If none differs, the summary has solvent, concentration, voltage, distance, flow rate, and diameter.',
    }),
  })
  .meta({ id: 'QueueEntry' });

export const listQueue = operation({
  method: 'get',
  path: '/moderation/queue',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'List the records with a status, by default those that await review',
    details: `${REVIEWER} The records that have had the status longest come first.`,
    returns: 'A page of the queue.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { status: 'APPROVED', polymer: 'PVA', limit: 10 } },
  },
  query: queueQuery,
  response: pagedResponse(queueEntry).extend({ counts: kindCounts }),
});

const change = z.strictObject({
  path: z.string().meta({ description: 'The path of the field, such as `processParameter.voltage`.' }),
  published: z.unknown().optional().meta({ description: 'The public value; absent if there is no public value.' }),
  proposed: z.unknown().optional().meta({ description: 'The value that an approval would publish.' }),
});
const historyEntry = z.strictObject({
  at: z.iso.datetime(),
  action: z.string().meta({
    description:
      '`submit`, `update`, `approve`, `reject`, `withdraw`, `restore`, `reopen`, `delete_account`, `erase` or `erase_submitter`.',
  }),
  revision: z.int(),
  accountId: z.uuid().optional().meta({ description: 'Absent for a caller without an account.' }),
  reason: z.string().optional(),
});
const review = z.strictObject({
  ...waiting,
  imageOnly: z.boolean(),
  submitter: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .optional()
    .meta({ description: 'The `userMetadata` of the submission; absent once it is erased.' }),
  record: experimentData,
  missingFields: z.array(z.string()),
  warnings: z.array(recordWarning),
  history: z.array(historyEntry).meta({ description: 'At most the newest 1,000 entries, in chronological order.' }),
  historyCount: z.int().min(1),
  changes: z.array(change).meta({
    description: 'The differences from the published revision, by field; empty if there is no published revision.',
  }),
  publishedRecord: experimentData.optional().meta({
    description:
      'The public revision, or the one that was public before the withdrawal. Absent if it is the newest revision, or if no revision was public.',
  }),
  duplicates: z
    .array(z.strictObject({ recordId: z.int(), status: recordStatus, published: z.boolean() }))
    .meta({ description: 'Records of any status with the same values and DOI, in ascending order of id; at most 20.' }),
});

export const getReview = operation({
  method: 'get',
  path: '/moderation/records/{id}',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'Get a record for review',
    details: `${REVIEWER} Contains the newest revision, the history of the record, and the changes that an approval would publish.`,
    returns: 'The record with its history and its differences from the published revision.',
    answerHeaders: { ETag: 'The entity tag of the record, for `If-Match` in a decision.' },
    errors: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: z.object({ id: idText }),
  response: review,
});

const common = {
  submissionId: z.int(),
  submittedAt: z.iso.datetime(),
  submitterName: z.string().optional().meta({ description: 'The name in `userMetadata`.' }),
  ownerAccountId: z.uuid().optional().meta({ description: 'Absent for a submission without an account.' }),
};
const entry = z
  .strictObject({
    ...common,
    waitingSince: z.iso
      .datetime()
      .meta({ description: 'The earliest time at which one of its records got the requested status.' }),
    records: z
      .strictObject({ PENDING: count, APPROVED: count, REJECTED: count, NEEDS_UPDATE: count })
      .meta({ description: 'The numbers of its records per status.' }),
    warningCount: count.meta({ description: 'The number of warnings of the records with the requested status.' }),
    ...unreadMessages,
    polymers: z.array(z.string()),
    summary: z.string().meta({
      description:
        'Up to four quantities that differ between its records, with their ranges, as in `DMF, WATER · 10–20 kV`. If none differs, the summary is that of one record.',
    }),
    doi: z.string().optional().meta({ description: 'Present if all its records have this DOI.' }),
    publicationTitle: z.string().optional().meta({ description: 'Present if all its records have this title.' }),
  })
  .meta({ id: 'SubmissionEntry' });

const column = z.strictObject({
  column: z.string().meta({ description: 'The flattened name, as in files. Columns of units are not listed.' }),
  label: z.string(),
  unit: z.string().nullable().meta({
    description: 'The unit if all rows with a value agree on it; their texts then omit it.',
  }),
  distinct: z.int().min(1).meta({ description: 'The number of distinct values; an absent value counts as one.' }),
  value: z.string().nullable().meta({ description: 'The common value of all rows; null if they differ.' }),
});
const row = z.strictObject({
  recordId: z.int(),
  revision: z.int().meta({ description: 'The newest revision, for `revisions` in a decision.' }),
  status: recordStatus,
  publishedRevision: z.int().optional().meta({ description: 'The public revision, if there is one.' }),
  summary: z.string().meta({ description: 'Up to four values that differ within the submission.' }),
  values: z.record(z.string(), z.string()).meta({
    description:
      'The texts of the columns that differ, by column, each at most 81 characters. Absent values are left out.',
  }),
  warnings: z
    .array(
      recordWarning.extend({
        column: z.string().nullable().meta({ description: 'Null for a warning about the whole record.' }),
      }),
    )
    .meta({ description: 'The first 10 warnings, those of high severity before the others.' }),
  changed: z.array(z.string()).meta({
    description:
      'The columns in which the newest revision differs from the public one; empty without a public revision.',
  }),
  duplicates: z.array(z.int()).meta({
    description: 'The ids of other records of any status with the same values and DOI, in ascending order; at most 20.',
  }),
  ...unreadMessages,
});
const table = z
  .strictObject({
    ...common,
    total: count.meta({ description: 'The number of rows.' }),
    columns: z.array(column).meta({
      description:
        'The columns that at least one row fills. Columns that differ come first, each part in the order of the catalog. The id, the flags for blends, and lists of components that state only names are left out.',
    }),
    rows: z.array(row).meta({ description: 'All records of the submission, in ascending order of id.' }),
  })
  .meta({ id: 'SubmissionTable' });

export const listSubmissions = operation({
  method: 'get',
  path: '/moderation/submissions',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'List the submissions that have a record with a status, by default those that await review',
    details: `${REVIEWER} The submissions that have waited longest come first.`,
    returns: 'A page of submissions.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { kind: 'new', limit: 10 } },
  },
  query: z.object({ status: statusQuery, kind: kindQuery, ...pagedQuery.shape }),
  response: pagedResponse(entry).extend({ counts: kindCounts }),
});

export const getSubmissionTable = operation({
  method: 'get',
  path: '/moderation/submissions/{submissionId}',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'Get the records of a submission as a table',
    details: `${REVIEWER} Contains the newest revision of every record. Values that all records share appear once.`,
    returns: 'The columns and rows of the table.',
    revalidates: true,
    errors: ['FORBIDDEN', 'SUBMISSION_NOT_FOUND'],
    example: { parameters: { submissionId: 1 } },
  },
  parameters: z.object({ submissionId: idText }),
  response: table,
});

const revision = z
  .int()
  .min(1)
  .max(MAX_REVISION)
  .meta({ description: 'The revision that was reviewed; defaults to the newest.' });
const reason = plainText(1, 2_000).meta({
  description: 'The reason for the rejection. It is sent to the contributor.',
});

const many = {
  recordIds: z.array(z.int().min(1)).min(1).max(MAX_RECORDS),
  revisions: z
    .array(revision)
    .optional()
    .meta({ description: 'The reviewed revision of each record, in the order of `recordIds`.' }),
};
const approveOneBody = z.strictObject({ revision: revision.optional() });
const rejectOneBody = z.strictObject({ reason, revision: revision.optional() });
const approveManyBody = z.strictObject(many).superRefine(checkMany);
const rejectManyBody = z
  .strictObject({
    recordIds: many.recordIds.optional(),
    revisions: many.revisions,
    origin: originText.optional().meta({
      description:
        'Replaces `recordIds`. Selects all records without an account from this origin that await review, at most 1,000.',
    }),
    reason,
  })
  .superRefine(checkSelection);

const reviewedRecord = z.strictObject({
  recordId: z.int(),
  status: recordStatus,
  revision: z.int(),
});
const reviewedMany = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  records: z.array(reviewedRecord),
});
const decidedMany = reviewedMany.extend({
  decision: z.strictObject({ id: z.int(), undoUntil: z.iso.datetime() }).meta({
    description: 'The decision, for `POST /moderation/decisions/{id}/undo` until `undoUntil`.',
  }),
});

const ofOne = {
  tag: 'Moderation',
  details:
    'Requires the role MODERATOR or ADMIN; only an ADMIN can review their own records. Without a revision, the decision applies to the newest PENDING revision. With a revision, the call fails with 412 if the record has changed.',
  headers: { 'If-Match': 'The entity tag that `/moderation/records/{id}` returned.' },
  answerHeaders: { ETag: 'The entity tag of the record.' },
  errors: ['FORBIDDEN', 'RECORD_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
} as const satisfies Partial<Description>;
const ofMany = {
  tag: 'Moderation',
  details:
    'The decision applies to all records or none. If it is refused, `errors` lists every record that cannot be decided, with its status and newest revision.',
  errors: ['FORBIDDEN', 'CONFLICT'],
} as const satisfies Partial<Description>;

export const approveRecord = operation({
  method: 'post',
  path: '/moderation/records/{id}/approve',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofOne,
    summary: 'Approve a record',
    returns: 'The approved record.',
    example: { parameters: { id: 1 }, body: { revision: 1 } },
  },
  parameters: z.object({ id: idText }),
  body: approveOneBody,
  isBodyOptional: true,
  response: reviewedRecord,
});

export const rejectRecord = operation({
  method: 'post',
  path: '/moderation/records/{id}/reject',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofOne,
    summary: 'Reject a record',
    returns: 'The rejected record. Its published revision remains public.',
    example: {
      parameters: { id: 4 },
      body: { reason: 'The voltage differs from the one in the paper.', revision: 1 },
    },
  },
  parameters: z.object({ id: idText }),
  body: rejectOneBody,
  response: reviewedRecord,
});

export const approveRecords = operation({
  method: 'post',
  path: '/moderation/approve',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofMany,
    summary: 'Approve many records',
    returns: 'The approved records, in the order of `recordIds`.',
    example: { body: { recordIds: [2, 3], revisions: [1, 1] } },
  },
  body: approveManyBody,
  response: decidedMany,
});

export const rejectRecords = operation({
  method: 'post',
  path: '/moderation/reject',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofMany,
    summary: 'Reject many records for one reason',
    details: `${ofMany.details} With \`origin\`, all records that currently await review are rejected. If no record awaits review, the response is 404.`,
    returns: 'The rejected records, in the order of `recordIds`, or with `origin` by id.',
    errors: [...ofMany.errors, 'RECORD_NOT_FOUND'],
    example: { body: { recordIds: [5, 6], reason: 'Both records are already in the dataset.' } },
  },
  body: rejectManyBody,
  response: decidedMany,
});

const withdrawBody = z.strictObject({
  reason: plainText(1, MAX_REASON_LENGTH).meta({
    description: 'The reason for the withdrawal. It is public, and it is sent to the contributor.',
  }),
  revision: revision.optional(),
});
const changeBody = z.strictObject({ revision: revision.optional() });
const recordPath = z.object({ id: idText });

const ROLE =
  'Requires the role MODERATOR or ADMIN; only an ADMIN can change their own records. With a revision or an entity tag, the call fails with 412 if the record has changed.';

export const withdrawRecord = operation({
  method: 'post',
  path: '/moderation/records/{id}/withdraw',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofOne,
    summary: 'Withdraw a public record',
    details: `${ROLE} The record is removed from the latest dataset, its counts, the sitemap and the list of contributors. Existing releases, personal snapshots and queries still contain it. An edit that awaits review is rejected as well. If the record is not public, the response is 409.`,
    returns: 'The record, at a new revision with the status REJECTED.',
    example: { parameters: { id: 3 }, body: { reason: 'The paper was retracted.' } },
  },
  parameters: recordPath,
  body: withdrawBody,
  response: reviewedRecord.extend({ withdrawn }),
});

export const restoreRecord = operation({
  method: 'post',
  path: '/moderation/records/{id}/restore',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofOne,
    summary: 'Restore a withdrawn record to the review queue',
    details: `${ROLE} The last public revision becomes the newest revision, and an approval publishes it again. If the record is not withdrawn, or its owner has updated it since, the response is 409.`,
    returns: 'The record, at a new revision with the status PENDING.',
    example: { parameters: { id: 3 }, body: { revision: 2 } },
  },
  parameters: recordPath,
  body: changeBody,
  isBodyOptional: true,
  response: reviewedRecord,
});

export const reopenRecord = operation({
  method: 'post',
  path: '/moderation/records/{id}/reopen',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    ...ofOne,
    summary: 'Reopen a rejected record for review',
    details: `${ROLE} The record keeps its revision. For a withdrawn record, the response is 409; restore it instead.`,
    returns: 'The record, with the status PENDING.',
    example: { parameters: { id: 4 }, body: { revision: 1 } },
  },
  parameters: recordPath,
  body: changeBody,
  isBodyOptional: true,
  response: reviewedRecord,
});

export const decisionAction = z.enum(['approve', 'reject', 'withdraw', 'restore', 'reopen']);

const decision = z
  .strictObject({
    id: z.int(),
    at: z.iso.datetime(),
    action: decisionAction,
    reason: z.string().optional(),
    records: z.array(
      z.strictObject({
        recordId: z.int(),
        revision: z.int().meta({ description: 'The revision to which the decision applied.' }),
        record: z
          .strictObject({
            status: recordStatus,
            revision: z.int().meta({ description: 'The newest revision.' }),
            published: z.boolean(),
            withdrawn: z.boolean(),
          })
          .optional()
          .meta({ description: 'The current state of the record; absent if it was erased with its account.' }),
      }),
    ),
    undoUntil: z.iso.datetime().nullable().meta({
      description: 'The time until which the decision can be undone; null if it cannot.',
    }),
    undoneAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Decision' });
export const listDecisions = operation({
  method: 'get',
  path: '/moderation/decisions',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'List the decisions of the caller',
    details: `${REVIEWER} The newest decisions come first, each with the current states of its records. A bulk approval or rejection is one decision. A page has at most 50,000 records.`,
    returns: 'A page of decisions.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { limit: 10 } },
  },
  query: pagedQuery,
  response: pagedResponse(decision),
});

export const undoDecision = operation({
  method: 'post',
  path: '/moderation/decisions/{id}/undo',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Moderation',
    summary: 'Undo a bulk approval or rejection',
    details: `${REVIEWER} Only the moderator who decided or an ADMIN can undo a decision, for 24 hours, until a release with one of its records is frozen. The records return to the review queue, all or none. An approval that is public already is withdrawn with the reason "approved by mistake". Otherwise, the response is 409, and \`errors\` lists the records that changed since the decision.`,
    returns: 'The reopened records, by ascending id.',
    errors: ['FORBIDDEN', 'DECISION_NOT_FOUND', 'CONFLICT'],
    example: { parameters: { id: 4711 } },
  },
  parameters: z.object({ id: idText }),
  response: reviewedMany,
});

interface Many {
  recordIds: number[];
  revisions?: number[] | undefined;
}

function checkMany({ recordIds, revisions }: Many, context: z.core.$RefinementCtx): void {
  const seen = new Set<number>();
  for (const [index, id] of recordIds.entries()) {
    if (seen.has(id))
      context.addIssue({ code: 'custom', path: ['recordIds', index], message: `must not repeat the record ${id}` });
    seen.add(id);
  }
  if (revisions && revisions.length !== recordIds.length) {
    const message = `must have one revision for each of the ${recordIds.length} records, and has ${revisions.length}`;
    context.addIssue({ code: 'custom', path: ['revisions'], message });
  }
}

interface Selection {
  recordIds?: number[] | undefined;
  revisions?: number[] | undefined;
  origin?: string | undefined;
}

function checkSelection({ recordIds, revisions, origin }: Selection, context: z.core.$RefinementCtx): void {
  if (recordIds && origin === undefined) {
    checkMany({ recordIds, revisions }, context);
    return;
  }
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!recordIds && origin === undefined) add('recordIds', 'is missing; send `recordIds` or `origin`');
  if (recordIds) add('origin', 'must not be combined with `recordIds`; send only one of them');
  if (origin !== undefined && revisions) add('revisions', 'requires `recordIds`; leave it out with `origin`');
}
