import { z } from 'zod';
import type { GetReviewResponse, QueueEntry } from '@esd/proto/esd/submission/v1/submission';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import { withdrawnFromWire } from '../../dataset/published-record.ts';
import { linkHeader, linkParameters } from '../../http/link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../../http/paged-list.ts';
import { selfUrl } from '../../http/public-url.ts';
import { originText } from '../../schemas/origin-text.ts';
import { plainText } from '../../schemas/plain-text.ts';
import { recordStatus } from '../../schemas/record-status.ts';
import { withdrawn } from '../../schemas/withdrawn.ts';
import { route, type Route } from '../../http/route.ts';
import { submissionIdText } from '../data/my-records.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { countsOf, kindCounts, kindQuery, kindToWire, unreadMessages } from './queue-kinds.ts';

const MAX_SEARCH_LENGTH = 320;

export const statusQuery = recordStatus.default('PENDING').meta({ default: 'PENDING' });

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
  submissionId: submissionIdText.optional().meta({
    description: 'The `submissionId` of an entry. Selects the records of the same submission.',
  }),
  ...pagedQuery.shape,
});

/** Members that the queue and the review of one record share. */
export const waiting = {
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

export const REVIEWER = 'Requires the role MODERATOR or ADMIN.';

export function moderationQueueRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'get',
      path: '/moderation/queue',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
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
      answer: pagedAnswer(queueEntry).extend({ counts: kindCounts }),
      handle: async ({ query, call, request }, response) => {
        const { skip, limit, ...filters } = query;
        const wanted = { ...query, status: statusToWire(filters.status), kind: kindToWire(filters.kind) };
        const { entries, total, counts } = await moderation.listQueue(wanted, call);
        const parameters = linkParameters({ ...filters, submissionId: filters.submissionId?.toString() });
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader(selfUrl(request), { skip, limit, total, parameters }) })
          .json({ data: entries.map(queueEntryOf), total, skip, limit, counts: countsOf(counts) });
      },
    }),
  ];
}

export function waitingOf(record: QueueEntry | GetReviewResponse) {
  const { recordId, revision, submissionId, submittedAt, waitingSince, ownerAccountId, publishedRevision, origin } =
    record;
  const status = statusFromWire(record.status);
  if (!status || !submittedAt || !waitingSince) throw new Error(`record ${recordId} has no status or times`);
  return {
    recordId,
    revision,
    status,
    submissionId,
    submittedAt: submittedAt.toISOString(),
    waitingSince: waitingSince.toISOString(),
    waitedSeconds: Math.max(0, Math.floor((Date.now() - waitingSince.getTime()) / 1000)),
    ownerAccountId,
    publishedRevision,
    origin,
    erasedAt: record.erasedAt?.toISOString(),
    withdrawn: withdrawnFromWire(record.withdrawn),
    unread: record.unread,
    answered: record.answered,
  };
}

function queueEntryOf(entry: QueueEntry): z.output<typeof queueEntry> {
  const { submitterName, polymers, publicationTitle, doi, warningCount, summary } = entry;
  const found = { submitterName, polymers, publicationTitle, doi, warningCount, summary };
  return { ...waitingOf(entry), ...found };
}
