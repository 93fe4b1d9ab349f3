import type { RecordStatus } from '@esd/record/status/record-status';
import type { Withdrawn } from '../records/withdrawal.store.ts';

/** What an answer says of a record beside its data. */
export interface OwnRecordState {
  recordId: number;
  status: RecordStatus;
  missingFields: readonly string[];
  /** Why a moderator rejected or withdrew the revision, where one did. */
  rejectionReason?: string | null;
  /** Of the data. */
  revision: number;
  /** The revision that is public; null where none is. */
  publishedRevision: number | null;
  /** Null unless the record is withdrawn. */
  withdrawn: Withdrawn | null;
}

/**
 * An item of `experimentData` as JSON text: the record's state, then its data. `data` is the text of a JSON object; it is
 * not parsed. An update ignores the state, so that the item can be sent back.
 */
export function ownRecordJson(state: OwnRecordState, data: string): string {
  const { recordId, status, missingFields, rejectionReason, revision, publishedRevision, withdrawn } = state;
  const members = JSON.stringify({
    recordId,
    experimentId: recordId,
    status,
    missingFields,
    // An update without a change asks for another look at the same revision.
    ...(status === 'REJECTED' && typeof rejectionReason === 'string' ? { rejectionReason } : {}),
    revision,
    ...(publishedRevision === null ? {} : { publishedRevision }),
    ...(withdrawn === null ? {} : { withdrawn }),
  });
  return data === '{}' ? members : `${members.slice(0, -1)},${data.slice(1)}`;
}
