import { RecordStatus as WireStatus } from '@esd/proto/esd/submission/v1/submission';
import { type RecordStatus, recordStatuses } from '@esd/record/status/record-status';

const TO_WIRE = {
  PENDING: WireStatus.RECORD_STATUS_PENDING,
  APPROVED: WireStatus.RECORD_STATUS_APPROVED,
  REJECTED: WireStatus.RECORD_STATUS_REJECTED,
  NEEDS_UPDATE: WireStatus.RECORD_STATUS_NEEDS_UPDATE,
} as const satisfies Record<RecordStatus, WireStatus>;

export function statusToWire(status: RecordStatus | undefined): WireStatus {
  return status === undefined ? WireStatus.RECORD_STATUS_UNSPECIFIED : TO_WIRE[status];
}

export function statusFromWire(wire: WireStatus): RecordStatus | undefined {
  return recordStatuses.find((status) => TO_WIRE[status] === wire);
}
