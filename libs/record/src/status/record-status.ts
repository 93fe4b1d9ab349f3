export const recordStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE'] as const;

/** PENDING: awaits review. APPROVED: published. REJECTED: rejected. NEEDS_UPDATE: saved, mandatory fields missing. */
export type RecordStatus = (typeof recordStatuses)[number];

/**
 * What happens to a record. `complete`: no mandatory field is missing. `lenient`: the caller may leave mandatory
 * fields out (a personal access token may). `withdraw` is of a record that is public, `restore` of one that was withdrawn.
 */
export type RecordEvent =
  | { readonly kind: 'submit' | 'update'; readonly complete: boolean; readonly lenient: boolean }
  | { readonly kind: 'approve' | 'reject' | 'withdraw' | 'restore' | 'reopen' };

interface Transition {
  /** `undefined`: the record does not exist yet. */
  readonly from: RecordStatus | undefined;
  readonly event: RecordEvent['kind'];
  /** Absent where the record's completeness does not matter. */
  readonly complete?: boolean;
  readonly to: RecordStatus;
}

/** Every move that a record can make; any other is a conflict. */
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
  // What was public goes, and an edit that awaits review or an update is rejected with it.
  ...recordStatuses.map((from) => ({ from, event: 'withdraw', to: 'REJECTED' }) as const),
  { from: 'REJECTED', event: 'restore', to: 'PENDING' },
  { from: 'REJECTED', event: 'reopen', to: 'PENDING' },
];

export type NextStatus =
  | { readonly kind: 'moved'; readonly status: RecordStatus }
  | { readonly kind: 'refused'; readonly code: 'MISSING_FIELDS' | 'CONFLICT' };

/**
 * The status of a record's newest revision after an event, or why the event is refused: `MISSING_FIELDS` when mandatory
 * fields are missing and the caller is held to strict rules, `CONFLICT` when the record's status does not allow it.
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
