import { RecordApproved } from '@esd/proto/esd/events/v1/record_approved';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import type { ApprovedRevision } from './append-approved.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes `esd.record.approved.v1`. Throws for an invalid or incomplete message. */
export function decodeRecordApproved(bytes: Uint8Array): ApprovedRevision {
  const { recordId, recordRevision, recordJson, approvedAt } = RecordApproved.decode(bytes);
  if (recordId < 1 || recordRevision < 1 || !approvedAt) {
    throw new Error(`record.approved of record ${recordId}, revision ${recordRevision} is incomplete`);
  }
  const body = utf8.decode(recordJson);
  const record = parsePublicRecord(body);
  if (record.recordId !== recordId)
    throw new Error(`record.approved of record ${recordId} has the body of another record`);
  return { recordId, recordRevision, body, data: record.data, approvedAt };
}
