import { type RecordStatus, recordStatuses } from '@esd/record/status/record-status';
import type { Moderation } from './moderation.ts';

export const LISTS: Readonly<Record<RecordStatus, string>> = {
  PENDING: 'Waiting',
  APPROVED: 'Published',
  REJECTED: 'Rejected or withdrawn',
  NEEDS_UPDATE: 'Need an update',
};
const MINE = 'decisions';

export function WhichList({ desk: { view, go } }: { desk: Moderation }) {
  const { status, isMine } = view.value;
  return (
    <select
      aria-label="Which records"
      value={isMine ? MINE : status}
      onChange={({ currentTarget: { value } }) => {
        const chosen = recordStatuses.find((option) => option === value) ?? 'PENDING';
        go({ status: chosen, isMine: value === MINE, kind: 'all', submissionId: undefined, recordId: undefined });
      }}
    >
      {recordStatuses.map((option) => (
        <option key={option} value={option}>
          {LISTS[option]}
        </option>
      ))}
      <option value={MINE}>My decisions</option>
    </select>
  );
}
