import { Badge } from './badge.tsx';

type ShownStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'NEEDS_UPDATE' | 'WITHDRAWN';

const BADGES = {
  APPROVED: ['ok', '✓', 'Published'],
  PENDING: ['waiting', '○', 'Waiting for review'],
  NEEDS_UPDATE: ['needs', '!', 'Needs an update'],
  REJECTED: ['bad', '×', 'Rejected'],
  WITHDRAWN: ['', '–', 'Withdrawn'],
} as const;

export function statusText(status: ShownStatus): string {
  return BADGES[status][2];
}

export function StatusBadge({ status, count }: { status: ShownStatus; count?: number }) {
  const [kind, sign, text] = BADGES[status];
  return <Badge of={[kind, sign, count === undefined ? text : `${count} ${text.toLowerCase()}`]} />;
}
