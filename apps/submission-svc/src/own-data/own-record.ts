import type { RecordStatus } from '@esd/record/status/record-status';
import type { Withdrawn } from '../records/withdrawal.store.ts';

export interface OwnRecordState {
  recordId: number;
  status: RecordStatus;
  missingFields: readonly string[];
  /** The moderator's reason for rejecting or withdrawing the revision. */
  rejectionReason?: string | null;
  revision: number;
  publishedRevision: number | null;
  withdrawn: Withdrawn | null;
}

/** Returns an item of `experimentData` as JSON text. An update ignores the state, so the item can be sent back. */
export function ownRecordJson(state: OwnRecordState, data: string): string {
  const { recordId, status, missingFields, rejectionReason, revision, publishedRevision, withdrawn } = state;
  const members = JSON.stringify({
    recordId,
    experimentId: recordId,
    status,
    missingFields,
    // A reopened record awaits review with the revision that was rejected.
    ...(status === 'REJECTED' && typeof rejectionReason === 'string' ? { rejectionReason } : {}),
    revision,
    ...(publishedRevision === null ? {} : { publishedRevision }),
    ...(withdrawn === null ? {} : { withdrawn }),
  });
  return data === '{}' ? members : `${members.slice(0, -1)},${data.slice(1)}`;
}
