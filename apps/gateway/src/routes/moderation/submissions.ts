import { z } from 'zod';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import type { GetSubmissionTableResponse, SubmissionEntry, TableRow } from '@esd/proto/esd/submission/v1/submission';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { linkHeader } from '../../http/link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../../http/paged-list.ts';
import { selfUrl } from '../../http/public-url.ts';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import { recordWarning, withSeverity } from '../../schemas/record-warning.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { submissionIdText } from '../data/my-records.ts';
import { countsOf, kindCounts, kindQuery, kindToWire, unreadMessages } from './queue-kinds.ts';
import { REVIEWER, statusQuery } from './queue.ts';

const common = {
  submissionId: z.int(),
  submittedAt: z.iso.datetime(),
  submitterName: z.string().optional().meta({ description: 'The name in `userMetadata`.' }),
  ownerAccountId: z.uuid().optional().meta({ description: 'Absent for a submission without an account.' }),
};
const count = z.int().min(0);
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

export function moderationSubmissionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/moderation/submissions',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
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
      answer: pagedAnswer(entry).extend({ counts: kindCounts }),
      handle: async ({ query: { status, kind, skip, limit }, call, request }, response) => {
        const wanted = { status: statusToWire(status), kind: kindToWire(kind), skip, limit };
        const { entries, total, counts } = await moderation.listSubmissions(wanted, call);
        const parameters = { status, kind };
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data: entries.map(entryOf), total, skip, limit, counts: countsOf(counts) });
      },
    }),
    route({
      method: 'get',
      path: '/moderation/submissions/:submissionId',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Moderation',
        summary: 'Get the records of a submission as a table',
        details: `${REVIEWER} Contains the newest revision of every record. Values that all records share appear once.`,
        returns: 'The columns and rows of the table.',
        revalidates: true,
        errors: ['FORBIDDEN', 'SUBMISSION_NOT_FOUND'],
        example: { parameters: { submissionId: 1 } },
      },
      parameters: z.object({ submissionId: submissionIdText }),
      answer: table,
      handle: async ({ parameters: { submissionId }, call, request }, response) => {
        const found = tableOf(await moderation.getSubmissionTable({ submissionId }, call));
        const tag = textTag(JSON.stringify(found));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-store' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(found);
      },
    }),
  ];
}

function entryOf({ pending, approved, rejected, needsUpdate, ...found }: SubmissionEntry): z.output<typeof entry> {
  const { submittedAt, waitingSince, ...rest } = found;
  if (!submittedAt || !waitingSince) throw new Error(`submission ${rest.submissionId} has no times`);
  return {
    ...rest,
    submittedAt: submittedAt.toISOString(),
    waitingSince: waitingSince.toISOString(),
    records: { PENDING: pending, APPROVED: approved, REJECTED: rejected, NEEDS_UPDATE: needsUpdate },
  };
}

function tableOf({ submittedAt, columns, rows, ...found }: GetSubmissionTableResponse): z.output<typeof table> {
  if (!submittedAt) throw new Error(`submission ${found.submissionId} has no time`);
  return {
    ...found,
    submittedAt: submittedAt.toISOString(),
    total: rows.length,
    columns: columns.map(({ unit = null, value = null, ...rest }) => ({ ...rest, unit, value })),
    rows: rows.map(rowOf),
  };
}

function rowOf({ status, warnings, ...found }: TableRow): z.output<typeof row> {
  const name = statusFromWire(status);
  if (!name) throw new Error(`record ${found.recordId} has no status`);
  return {
    ...found,
    status: name,
    warnings: warnings.map(({ column: at = null, ...rest }) => withSeverity({ ...rest, column: at })),
  };
}
