import { RecordWithdrawn } from '@esd/proto/esd/events/v1/record_withdrawn';
import type { WithdrawnRecord } from './append-withdrawn.ts';

/** Decodes `esd.record.withdrawn.v1`. Throws for an invalid or incomplete message. */
export function decodeRecordWithdrawn(bytes: Uint8Array): WithdrawnRecord {
  const { recordId, recordRevision, withdrawnAt, reason } = RecordWithdrawn.decode(bytes);
  if (recordId < 1 || recordRevision < 1 || !withdrawnAt || reason === '') {
    throw new Error(`record.withdrawn of record ${recordId}, revision ${recordRevision} is incomplete`);
  }
  return { recordId, recordRevision, withdrawnAt, reason };
}
