import { RecordStatus as Wire } from '@esd/proto/esd/submission/v1/submission';
import type { RecordStatus } from '@esd/record/record-status';

const TO_WIRE = {
  PENDING: Wire.RECORD_STATUS_PENDING,
  APPROVED: Wire.RECORD_STATUS_APPROVED,
  REJECTED: Wire.RECORD_STATUS_REJECTED,
  NEEDS_UPDATE: Wire.RECORD_STATUS_NEEDS_UPDATE,
} as const satisfies Record<RecordStatus, Wire>;

const FROM_WIRE: Readonly<Record<Wire, RecordStatus | undefined>> = {
  [Wire.RECORD_STATUS_UNSPECIFIED]: undefined,
  [Wire.RECORD_STATUS_PENDING]: 'PENDING',
  [Wire.RECORD_STATUS_APPROVED]: 'APPROVED',
  [Wire.RECORD_STATUS_REJECTED]: 'REJECTED',
  [Wire.RECORD_STATUS_NEEDS_UPDATE]: 'NEEDS_UPDATE',
};

/** The status as it travels between the services. */
export function statusToWire(status: RecordStatus): Wire {
  return TO_WIRE[status];
}

/** The status of a message; undefined where none was given. */
export function statusFromWire(status: Wire): RecordStatus | undefined {
  return FROM_WIRE[status];
}
