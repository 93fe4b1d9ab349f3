import {
  type GetReviewResponse,
  ModerationServiceService,
  type RecordToReview as WireRecordToReview,
  RecordStatus,
  type Reviewed,
  type ReviewConflict,
} from '@esd/proto/esd/submission/v1/submission';
import { ServiceError } from '@esd/service/errors';
import { requireCaller, requireRole } from '@esd/service/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc-server';
import type { Kysely } from 'kysely';
import { ownRecordJson } from '../own-data/own-record.ts';
import { recordTag } from '../record/entity-tag.ts';
import type { ReferenceCache } from '../reference/reference-cache.ts';
import { findQueue, polymersFound } from '../review/queue.store.ts';
import { requireReviewer } from '../review/require-reviewer.ts';
import {
  approveRecords,
  type RecordToReview,
  rejectOrigin,
  rejectRecords,
  type ReviewOutcome,
} from '../review/review.ts';
import { type ReviewView, viewForReview } from '../review/review-view.ts';
import { eraseSubmitter } from '../retention/erase-submitter.ts';
import type { Tables } from '../tables.ts';
import { statusFromWire, statusToWire } from './record-status.ts';

const MOST_ENTRIES = 1_000;

/** Review of records over gRPC. */
export function moderationRpc({
  database,
  references,
}: {
  database: Kysely<Tables>;
  references: ReferenceCache;
}): RpcService {
  return rpcService(ModerationServiceService, {
    listQueue: async ({ status: wireStatus, submitter, polymer, origin, skip, limit }, context) => {
      requireReviewer(context);
      const status = statusFromWire(wireStatus);
      if (status === undefined || skip < 0 || limit < 1 || limit > MOST_ENTRIES) {
        throw new ServiceError('INVALID_PARAMETER', `A status, skip ≥ 0 and limit 1 to ${MOST_ENTRIES} are needed.`);
      }
      const polymers = polymer === undefined ? undefined : polymersFound(await references.current(context), polymer);
      const { entries, total } = await findQueue(database, { status, submitter, polymers, origin, skip, limit });
      return {
        total,
        entries: entries.map((entry) => ({
          ...entry,
          status: statusToWire(entry.status),
          ownerAccountId: entry.ownerAccountId ?? undefined,
          submitterName: entry.submitterName ?? undefined,
          publicationTitle: entry.publicationTitle ?? undefined,
          doi: entry.doi ?? undefined,
          publishedRevision: entry.publishedRevision ?? undefined,
          origin: entry.origin ?? undefined,
          erasedAt: entry.erasedAt ?? undefined,
        })),
      };
    },

    getReview: async ({ recordId }, context) => {
      requireReviewer(context);
      return toReview(await viewForReview(database, recordId));
    },

    approveRecords: async ({ records }, context) => {
      const caller = requireCaller(context);
      const outcome = await approveRecords(database, records.map(fromWire), caller, context.requestId);
      return { outcome: toOutcome(outcome) };
    },

    rejectRecords: async ({ records, reason, origin }, context) => {
      const caller = requireCaller(context);
      if (origin !== undefined) {
        if (records.length > 0)
          throw new ServiceError('INVALID_PARAMETER', 'Records or an origin are right, not both.');
        return { outcome: toOutcome(await rejectOrigin(database, origin, reason, caller, context.requestId)) };
      }
      const outcome = await rejectRecords(database, records.map(fromWire), reason, caller, context.requestId);
      return { outcome: toOutcome(outcome) };
    },

    eraseSubmitter: async ({ submissionId }, context) => {
      const { accountId } = requireRole(context, ['ADMIN']);
      return { erased: await eraseSubmitter(database, submissionId, { accountId, requestId: context.requestId }) };
    },
  });
}

function fromWire({ recordId, revision, entityTags }: WireRecordToReview): RecordToReview {
  return { recordId, revision, entityTags };
}

type WireOutcome = { $case: 'reviewed'; value: Reviewed } | { $case: 'conflict'; value: ReviewConflict };

function toOutcome(outcome: ReviewOutcome): WireOutcome {
  if (outcome.kind === 'conflict') {
    const offenders = outcome.offenders.map((offender) => ({
      ...offender,
      status: offender.status ? statusToWire(offender.status) : RecordStatus.RECORD_STATUS_UNSPECIFIED,
    }));
    return { $case: 'conflict', value: { offenders } };
  }
  const records = outcome.records.map(({ recordId, status, revision }) => ({
    recordId,
    status: statusToWire(status),
    revision,
    entityTag: recordTag(recordId, revision),
  }));
  return { $case: 'reviewed', value: { records } };
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
  };
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
