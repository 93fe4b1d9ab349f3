import { z } from 'zod';
import { RecordStatus as WireStatus } from '@esd/proto/esd/submission/v1/submission';
import { recordStatuses, type RecordStatus } from '@esd/record/record-status';

const WIRE: Record<RecordStatus, WireStatus> = {
  PENDING: WireStatus.RECORD_STATUS_PENDING,
  APPROVED: WireStatus.RECORD_STATUS_APPROVED,
  REJECTED: WireStatus.RECORD_STATUS_REJECTED,
  NEEDS_UPDATE: WireStatus.RECORD_STATUS_NEEDS_UPDATE,
};

/** A status in requests and answers. */
export const recordStatus = z
  .enum(recordStatuses, `must be one of ${recordStatuses.join(', ')}`)
  .meta({ id: 'RecordStatus' });

/** A status as the services say it; undefined is every status. */
export function toWireStatus(status: RecordStatus | undefined): WireStatus {
  return status === undefined ? WireStatus.RECORD_STATUS_UNSPECIFIED : WIRE[status];
}

/** A status as the interface says it; undefined where there is none. */
export function fromWireStatus(wire: WireStatus): RecordStatus | undefined {
  return recordStatuses.find((status) => WIRE[status] === wire);
}
