import {
  type GetReviewResponse,
  ModerationServiceService,
  type QueueKind,
  type RecordStatus as WireStatus,
  type RecordToReview,
  type RejectRecordsRequest,
  type Reviewed,
  type ReviewedRecord,
  type Withdrawal,
} from '@esd/proto/esd/submission/v1/submission';
import { kindFromWire } from '@esd/dataset-client/queue-kinds';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import type { EventStream } from '@esd/proto/esd/common/v1/status';
import type { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import type { ReferenceLists } from '@esd/dataset-client/reference-lists';
import { requireCaller, requireRole } from '@esd/service/auth/require-caller';
import { ServiceError } from '@esd/service/errors';
import type { RpcClient } from '@esd/service/rpc/rpc-client';
import { outcomeOf } from '@esd/service/rpc/rpc-errors';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import type { Kysely } from 'kysely';
import { ownRecordJson } from '../own-data/own-record.ts';
import { recordTag } from '../records/entity-tag.ts';
import type { Withdrawn } from '../records/withdrawal.store.ts';
import { eraseSubmitter } from '../retention/erase-submitter.ts';
import { findOwnDecisions } from '../review/own-decisions.ts';
import { findPublication } from '../review/publication.ts';
import { findQueue, polymersFound } from '../review/queue.store.ts';
import {
  approveRecords,
  rejectOrigin,
  rejectRecords,
  type Reviewed as ReviewOutcome,
  type ReviewResult,
} from '../review/review.ts';
import { type FindReleases, undoDecision } from '../review/undo-decision.ts';
import { type ReviewView, viewForReview } from '../review/review-view.ts';
import { findSubmissions, findSubmissionTable } from '../review/submissions.store.ts';
import { reopenRecord, restoreRecord, withdrawRecord } from '../review/withdraw.ts';
import type { Tables } from '../tables.ts';

const MAX_ENTRIES = 1_000;

export function moderationRpc({
  database,
  references,
  dataset,
  stream,
}: {
  database: Kysely<Tables>;
  references: ReferenceLists;
  dataset: Pick<RpcClient<DatasetServiceService>, 'getRecordHistory'>;
  stream: () => Promise<EventStream>;
}): RpcService {
  return rpcService(ModerationServiceService, {
    listQueue: async (request, context) => {
      requireRole(context, 'MODERATOR');
      const { submitter, polymer, origin, submissionId } = request;
      const page = pageOf(request);
      const lists = polymer === undefined ? undefined : (await references.current(context)).references;
      const polymers = lists && polymer !== undefined ? polymersFound(lists, polymer) : undefined;
      const { entries, counts } = await findQueue(database, { ...page, submitter, polymers, origin, submissionId });
      return {
        total: counts[page.kind],
        counts,
        entries: entries.map((entry) => ({
          ...entry,
          status: statusToWire(entry.status),
          answered: entry.unread > 0,
          ownerAccountId: entry.ownerAccountId ?? undefined,
          submitterName: entry.submitterName ?? undefined,
          publicationTitle: entry.publicationTitle ?? undefined,
          doi: entry.doi ?? undefined,
          publishedRevision: entry.publishedRevision ?? undefined,
          origin: entry.origin ?? undefined,
          erasedAt: entry.erasedAt ?? undefined,
          withdrawn: withdrawnToWire(entry.withdrawn),
        })),
      };
    },

    listSubmissions: async (request, context) => {
      requireRole(context, 'MODERATOR');
      const page = pageOf(request);
      const { entries, counts } = await findSubmissions(database, page);
      return {
        total: counts[page.kind],
        counts,
        entries: entries.map(({ records, ...entry }) => ({
          ...entry,
          answered: entry.unread > 0,
          submitterName: entry.submitterName ?? undefined,
          ownerAccountId: entry.ownerAccountId ?? undefined,
          pending: records.PENDING,
          approved: records.APPROVED,
          rejected: records.REJECTED,
          needsUpdate: records.NEEDS_UPDATE,
        })),
      };
    },

    getSubmissionTable: async ({ submissionId }, context) => {
      requireRole(context, 'MODERATOR');
      const { rows, submitterName, ownerAccountId, ...table } = await findSubmissionTable(database, submissionId);
      return {
        ...table,
        submitterName: submitterName ?? undefined,
        ownerAccountId: ownerAccountId ?? undefined,
        rows: rows.map(({ status, publishedRevision, ...row }) => ({
          ...row,
          answered: row.unread > 0,
          status: statusToWire(status),
          publishedRevision: publishedRevision ?? undefined,
        })),
      };
    },

    getReview: async ({ recordId }, context) => {
      requireRole(context, 'MODERATOR');
      return toReview(await viewForReview(database, recordId));
    },

    getPublication: async ({ recordId }, context) => {
      requireRole(context, 'MODERATOR');
      const { status, ...publication } = await findPublication(database, stream, recordId);
      return { ...publication, status: statusToWire(status) };
    },

    approveRecords: async ({ records, bulk: isBulk }, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId, isBulk };
      return {
        outcome: await outcomeOf(async () => reviewedOutcome(await approveRecords(database, records, request))),
      };
    },

    rejectRecords: async (rejection, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId, isBulk: rejection.bulk };
      return { outcome: await outcomeOf(async () => reviewedOutcome(await reject(database, rejection, request))) };
    },

    withdrawRecord: async ({ record: target, reason }, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId };
      const { record, withdrawn } = await withdrawRecord(database, wanted(target), reason, request);
      return { record: reviewedToWire(record), withdrawn: withdrawnToWire(withdrawn) };
    },

    restoreRecord: async ({ record }, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId };
      return { record: reviewedToWire(await restoreRecord(database, wanted(record), request)) };
    },

    reopenRecord: async ({ record }, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId };
      return { record: reviewedToWire(await reopenRecord(database, wanted(record), request)) };
    },

    undoDecision: async ({ decisionId }, context) => {
      const request = { caller: requireCaller(context), requestId: context.requestId };
      const findReleases: FindReleases = async (recordId, revision) => {
        const { requestId, deadline, signal } = context;
        const history = await dataset
          .getRecordHistory({ recordId }, { requestId, deadline, signal })
          .catch(unlessAbsent);
        return history?.revisions.find(({ recordRevision }) => recordRevision === revision)?.versions ?? [];
      };
      const outcome = await outcomeOf(async () =>
        reviewedOutcome(await undoDecision(database, decisionId, findReleases, request)),
      );
      return { outcome };
    },

    listOwnDecisions: async ({ skip, limit }, context) => {
      const { accountId } = requireRole(context, 'MODERATOR');
      if (skip < 0 || limit < 1 || limit > MAX_ENTRIES) {
        throw new ServiceError('INVALID_PARAMETER', `\`skip\` must be 0 or more, and \`limit\` 1 to ${MAX_ENTRIES}.`);
      }
      const { decisions, total } = await findOwnDecisions(database, accountId, { skip, limit });
      return {
        total,
        decisions: decisions.map(({ reason, undoUntil, undoneAt, records, ...decision }) => ({
          ...decision,
          reason: reason ?? undefined,
          undoUntil: undoUntil ?? undefined,
          undoneAt: undoneAt ?? undefined,
          records: records.map(({ status, newestRevision, ...record }) => ({
            ...record,
            status: statusToWire(status ?? undefined),
            newestRevision: newestRevision ?? 0,
          })),
        })),
      };
    },

    eraseSubmitter: async ({ submissionId }, context) => {
      const { accountId } = requireRole(context, 'ADMIN');
      return { erased: await eraseSubmitter(database, submissionId, { accountId, requestId: context.requestId }) };
    },
  });
}

function pageOf(request: { status: WireStatus; kind: QueueKind; skip: number; limit: number }) {
  const { skip, limit } = request;
  const status = statusFromWire(request.status);
  const kind = kindFromWire(request.kind);
  if (status && kind && skip >= 0 && limit >= 1 && limit <= MAX_ENTRIES) return { status, kind, skip, limit };
  throw new ServiceError(
    'INVALID_PARAMETER',
    `\`status\` and a known \`kind\` are required; \`skip\` must be 0 or more, and \`limit\` 1 to ${MAX_ENTRIES}.`,
  );
}

function reject(
  database: Kysely<Tables>,
  { records, reason, origin }: RejectRecordsRequest,
  request: Parameters<typeof rejectRecords>[3],
): Promise<ReviewOutcome> {
  if (origin === undefined) return rejectRecords(database, records, reason, request);
  requireRole(request, 'MODERATOR');
  if (records.length > 0) throw new ServiceError('INVALID_PARAMETER', 'Send either `records` or `origin`, not both.');
  return rejectOrigin(database, origin, reason, request);
}

function reviewedOutcome({ records, decision }: ReviewOutcome): { $case: 'reviewed'; value: Reviewed } {
  return { $case: 'reviewed', value: { records: records.map(reviewedToWire), decision } };
}

/** A record that is not public is in no release. */
function unlessAbsent(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === 'RECORD_NOT_FOUND')) throw error;
}

function wanted(target: RecordToReview | undefined): RecordToReview {
  if (target) return target;
  throw new ServiceError('INVALID_PARAMETER', '`record` is required.');
}

function reviewedToWire({ recordId, status, revision }: ReviewResult): ReviewedRecord {
  return { recordId, status: statusToWire(status), revision, entityTag: recordTag(recordId, revision) };
}

function withdrawnToWire(withdrawn: Withdrawn | null): Withdrawal | undefined {
  return withdrawn === null ? undefined : { at: new Date(withdrawn.at), reason: withdrawn.reason };
}

function toReview(view: ReviewView): GetReviewResponse {
  const { recordId, revision, data, userMetadata } = view;
  return {
    recordId,
    revision,
    status: statusToWire(view.status),
    submissionId: view.submissionId,
    submittedAt: view.submittedAt,
    waitingSince: view.waitingSince,
    ownerAccountId: view.ownerAccountId ?? undefined,
    publishedRevision: view.publishedRevision ?? undefined,
    origin: view.origin ?? undefined,
    erasedAt: view.erasedAt ?? undefined,
    withdrawn: withdrawnToWire(view.withdrawn),
    imageOnly: view.imageOnly,
    submitterJson: userMetadata === null ? Buffer.alloc(0) : toJson(userMetadata),
    recordJson: Buffer.from(ownRecordJson(view, JSON.stringify(data))),
    missingFields: view.missingFields,
    warnings: view.warnings,
    history: view.history.map(({ accountId, reason, ...entry }) => ({
      ...entry,
      accountId: accountId ?? undefined,
      reason: reason ?? undefined,
    })),
    historyCount: view.historyCount,
    changes: view.changes.map(({ path, published, proposed }) => ({
      path,
      publishedJson: published === undefined ? undefined : toJson(published),
      proposedJson: proposed === undefined ? undefined : toJson(proposed),
    })),
    entityTag: recordTag(recordId, revision),
    publishedJson: view.published === undefined ? Buffer.alloc(0) : toJson(view.published),
    duplicates: view.duplicates.map(({ status, ...record }) => ({ ...record, status: statusToWire(status) })),
    unread: view.unread,
    answered: view.unread > 0,
  };
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
