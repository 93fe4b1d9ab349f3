export const recordStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE'] as const;

/** PENDING: awaits review. APPROVED: published. REJECTED: rejected or withdrawn. NEEDS_UPDATE: lacks mandatory fields. */
export type RecordStatus = (typeof recordStatuses)[number];

/**
 * An event of a record. `complete`: no mandatory field is missing. `lenient`: the caller may omit mandatory fields (a
 * personal access token may). `withdraw` requires a public record, `restore` a withdrawn one,
 * `undo` an unchanged one; the caller checks this.
 */
export type RecordEvent =
  | { readonly kind: 'submit' | 'update'; readonly complete: boolean; readonly lenient: boolean }
  | { readonly kind: 'approve' | 'reject' | 'withdraw' | 'restore' | 'reopen' | 'undo' };

interface Transition {
  /** `undefined`: the record does not exist yet. */
  readonly from: RecordStatus | undefined;
  readonly event: RecordEvent['kind'];
  /** Absent if the transition does not depend on completeness. */
  readonly complete?: boolean;
  readonly to: RecordStatus;
}

const transitions: readonly Transition[] = [
  { from: undefined, event: 'submit', complete: true, to: 'PENDING' },
  { from: undefined, event: 'submit', complete: false, to: 'NEEDS_UPDATE' },
  { from: 'NEEDS_UPDATE', event: 'update', complete: true, to: 'PENDING' },
  { from: 'NEEDS_UPDATE', event: 'update', complete: false, to: 'NEEDS_UPDATE' },
  { from: 'PENDING', event: 'update', complete: true, to: 'PENDING' },
  { from: 'PENDING', event: 'update', complete: false, to: 'NEEDS_UPDATE' },
  { from: 'REJECTED', event: 'update', complete: true, to: 'PENDING' },
  { from: 'REJECTED', event: 'update', complete: false, to: 'NEEDS_UPDATE' },
  // The published revision stays public until the edit is approved.
  { from: 'APPROVED', event: 'update', complete: true, to: 'PENDING' },
  { from: 'APPROVED', event: 'update', complete: false, to: 'NEEDS_UPDATE' },
  { from: 'PENDING', event: 'approve', to: 'APPROVED' },
  { from: 'PENDING', event: 'reject', to: 'REJECTED' },
  // Any status: withdrawing also rejects a pending edit of the public record.
  ...recordStatuses.map((from) => ({ from, event: 'withdraw', to: 'REJECTED' }) as const),
  { from: 'REJECTED', event: 'restore', to: 'PENDING' },
  { from: 'REJECTED', event: 'reopen', to: 'PENDING' },
  { from: 'APPROVED', event: 'undo', to: 'PENDING' },
  { from: 'REJECTED', event: 'undo', to: 'PENDING' },
];

export type NextStatus =
  | { readonly kind: 'moved'; readonly status: RecordStatus }
  | { readonly kind: 'refused'; readonly code: 'MISSING_FIELDS' | 'CONFLICT' };

/**
 * Returns the status of the newest revision after an event, or the code of the error: `MISSING_FIELDS` if mandatory fields
 * are missing and the caller is not lenient, `CONFLICT` if the current status does not allow the event.
 */
export function nextStatus(from: RecordStatus | undefined, event: RecordEvent): NextStatus {
  const complete = 'complete' in event ? event.complete : undefined;
  const row = transitions.find(
    (t) => t.from === from && t.event === event.kind && (t.complete === undefined || t.complete === complete),
  );
  if (row === undefined) return { kind: 'refused', code: 'CONFLICT' };
  if ('lenient' in event && !event.complete && !event.lenient) return { kind: 'refused', code: 'MISSING_FIELDS' };
  return { kind: 'moved', status: row.to };
}
