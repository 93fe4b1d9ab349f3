import type { RecordStatus } from '@esd/record/status/record-status';

/** The status of a whole submission. */
export type SubmissionStatus = RecordStatus | 'MIXED' | 'EMPTY';

/** EMPTY without records, the common status where all are equal, else MIXED. */
export function aggregateStatus(statuses: readonly RecordStatus[]): SubmissionStatus {
  const [first, ...others] = statuses;
  if (first === undefined) return 'EMPTY';
  return others.every((status) => status === first) ? first : 'MIXED';
}
