import { createHash } from 'node:crypto';
import { RecordReviewed, ReviewChange } from '@esd/proto/esd/events/v1/record_reviewed';
import type { Decision } from './mail.table.ts';

/** A decision batch on the records of one account. */
export interface ReviewedRecords {
  accountId: string;
  decisions: Decision[];
  reviewedAt: Date;
  /** SHA-256 of the event, equal only for its redeliveries: no two decisions on a record have the same time. */
  key: Buffer;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const CHANGES: Readonly<Record<ReviewChange, Pick<Decision, 'change'>>> = {
  [ReviewChange.REVIEW_CHANGE_UNSPECIFIED]: {},
  [ReviewChange.REVIEW_CHANGE_WITHDRAWN]: { change: 'withdrawn' },
  [ReviewChange.REVIEW_CHANGE_RESTORED]: { change: 'restored' },
  [ReviewChange.REVIEW_CHANGE_REOPENED]: { change: 'reopened' },
};

/** Decodes an event. Throws if the body is invalid or incomplete. */
export function decodeRecordReviewed(bytes: Uint8Array): ReviewedRecords {
  const { accountId, decisions, reviewedAt, reason: ofBatch } = RecordReviewed.decode(bytes);
  if (!UUID.test(accountId) || decisions.length === 0 || !reviewedAt) {
    throw new Error(`record.reviewed of account ${accountId} with ${decisions.length} decisions is incomplete`);
  }
  return {
    accountId,
    decisions: decisions.map(({ recordId, approved, reason = approved ? undefined : ofBatch, change }) => ({
      recordId,
      approved,
      ...(change === undefined ? {} : CHANGES[change]),
      ...(reason === undefined ? {} : { reason }),
    })),
    reviewedAt,
    key: createHash('sha256').update(bytes).digest(),
  };
}
