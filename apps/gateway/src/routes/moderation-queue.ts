import { z } from 'zod';
import type { GetReviewResponse, QueueEntry } from '@esd/proto/esd/submission/v1/submission';
import { catalogueSchema } from '../catalogue-schema.ts';
import { linkHeader } from '../link-header.ts';
import { pagedAnswer, pagedHeaders, pagedQuery } from '../paged-list.ts';
import { originText } from '../origin-text.ts';
import { plainText } from '../plain-text.ts';
import { fromWireStatus, recordStatus, toWireStatus } from '../record-status.ts';
import { recordIdText, route, type Route } from '../route.ts';
import type { Upstream } from '../upstream.ts';

const LONGEST_SEARCH = 320;

const queueQuery = z.object({
  status: recordStatus.default('PENDING').meta({ default: 'PENDING' }),
  submitter: plainText(1, LONGEST_SEARCH)
    .optional()
    .meta({ description: 'An account id, or part of the name or the e-mail address in userMetadata, in any case.' }),
  polymer: plainText(1, LONGEST_SEARCH)
    .optional()
    .meta({ description: 'Found in the polymers as the filter of the dataset finds it.' }),
  origin: originText.optional().meta({ description: 'The `origin` of an entry: what came from the same network.' }),
  ...pagedQuery.shape,
});

/** What the queue and the view of one record both say. */
const waiting = {
  recordId: z.int(),
  revision: z.int().meta({ description: 'The newest one.' }),
  status: recordStatus,
  submissionId: z.int(),
  submittedAt: z.iso.datetime(),
  waitingSince: z.iso.datetime().meta({ description: 'Since when the record has had its status.' }),
  waitedSeconds: z.int().min(0),
  ownerAccountId: z.uuid().optional().meta({ description: 'Left out for a record that no account owns.' }),
  publishedRevision: z.int().optional().meta({ description: 'The revision that is public, where one is.' }),
  origin: z.string().optional().meta({
    description:
      'Of a record without an account that awaits review: the same for all that came from one IPv4 /24 or IPv6 /48 within a calendar month, and nothing else can be told from it. Gone with the decision, or after 90 days.',
  }),
  erasedAt: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Since when there is nothing left of what the record held.' }),
};

const queueEntry = z
  .strictObject({
    ...waiting,
    submitterName: z.string().optional().meta({ description: 'As said in userMetadata.' }),
    polymers: z.array(z.string()),
    publicationTitle: z.string().optional(),
    doi: z.string().optional(),
    warningCount: z.int().min(0),
  })
  .meta({ id: 'QueueEntry' });

const change = z.strictObject({
  path: z.string().meta({ description: 'Of the field, such as `processParameter.voltage`.' }),
  published: z.unknown().optional().meta({ description: 'What is public; left out where there is no value.' }),
  proposed: z.unknown().optional().meta({ description: 'What an approval would publish instead.' }),
});
const historyEntry = z.strictObject({
  at: z.iso.datetime(),
  action: z
    .string()
    .meta({ description: '`submit`, `update`, `approve`, `reject`, `delete_account`, `erase` or `erase_submitter`.' }),
  revision: z.int(),
  accountId: z.uuid().optional().meta({ description: 'Left out for somebody without an account.' }),
  reason: z.string().optional(),
});
const review = z.strictObject({
  ...waiting,
  imageOnly: z.boolean(),
  submitter: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .optional()
    .meta({ description: 'The userMetadata of the submission, until it is erased.' }),
  record: catalogueSchema('ExperimentDataDTO'),
  missingFields: z.array(z.string()),
  warnings: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
  history: z.array(historyEntry).meta({ description: 'By time; of a longer history the newest 1,000.' }),
  historyCount: z.int().min(1),
  changes: z
    .array(change)
    .meta({ description: 'To the published revision, field by field; empty where there is none.' }),
});

const REVIEWER = 'Needs the role MODERATOR or ADMIN.';

/** The moderation queue, and a record as its reviewer sees it. */
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
        summary: 'Records that await review, or have another status',
        details: `${REVIEWER} Those that have had the status longest come first.`,
        returns: 'A page of the queue.',
        answerHeaders: pagedHeaders,
        errors: ['FORBIDDEN'],
        example: { parameters: { status: 'APPROVED', polymer: 'PVA', limit: 10 } },
      },
      query: queueQuery,
      answer: pagedAnswer(queueEntry),
      handle: async ({ query, call }, response) => {
        const { status, submitter, polymer, origin, skip, limit } = query;
        const request = { status: toWireStatus(status), submitter, polymer, origin, skip, limit };
        const { entries, total } = await moderation.listQueue(request, call);
        const parameters = {
          status,
          ...(submitter === undefined ? {} : { submitter }),
          ...(polymer === undefined ? {} : { polymer }),
          ...(origin === undefined ? {} : { origin }),
        };
        response
          .set({ 'Cache-Control': 'no-store', Link: linkHeader({ skip, limit, total, parameters }) })
          .json({ data: entries.map(queueEntryOf), total, skip, limit });
      },
    }),
    route({
      method: 'get',
      path: '/moderation/records/:id',
      caller: 'required',
      role: 'MODERATOR',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Moderation',
        summary: 'A record as its reviewer sees it',
        details: `${REVIEWER} It holds the newest revision, what happened to the record, and what an approval would change.`,
        returns: 'The record with its history and its differences to what is public.',
        answerHeaders: { ETag: 'The record’s entity tag, for the If-Match of a decision.' },
        errors: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: z.object({ id: recordIdText }),
      answer: review,
      handle: async ({ parameters, call }, response) => {
        const answer = await moderation.getReview({ recordId: parameters.id }, call);
        response.set({ ETag: `"${answer.entityTag}"`, 'Cache-Control': 'no-store' }).json(reviewOf(answer));
      },
    }),
  ];
}

function waitingOf(record: QueueEntry | GetReviewResponse) {
  const { recordId, revision, submissionId, submittedAt, waitingSince, ownerAccountId, publishedRevision, origin } =
    record;
  const status = fromWireStatus(record.status);
  if (!status || !submittedAt || !waitingSince) throw new Error(`record ${recordId} without status or times`);
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
  };
}

function queueEntryOf(entry: QueueEntry): z.output<typeof queueEntry> {
  const { submitterName, polymers, publicationTitle, doi, warningCount } = entry;
  return { ...waitingOf(entry), submitterName, polymers, publicationTitle, doi, warningCount };
}

function reviewOf(answer: GetReviewResponse): z.output<typeof review> {
  const { imageOnly, submitterJson, recordJson, missingFields, warnings, history, historyCount, changes } = answer;
  return {
    ...waitingOf(answer),
    imageOnly,
    // What submission-svc has checked and stored.
    submitter: submitterJson.length > 0 ? review.shape.submitter.parse(fromJson(submitterJson)) : undefined,
    record: fromJson(recordJson),
    missingFields,
    warnings,
    history: history.map(({ at, ...entry }) => {
      if (!at) throw new Error(`record ${answer.recordId} with a history without times`);
      return { at: at.toISOString(), ...entry };
    }),
    historyCount,
    changes: changes.map(({ path, publishedJson, proposedJson }) => ({
      path,
      ...(publishedJson === undefined ? {} : { published: fromJson(publishedJson) }),
      ...(proposedJson === undefined ? {} : { proposed: fromJson(proposedJson) }),
    })),
  };
}

function fromJson(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
