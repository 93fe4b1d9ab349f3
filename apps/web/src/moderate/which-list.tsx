import type { Moderation } from './moderation.ts';
import { STATUSES, type Status } from './shapes.ts';

export const LISTS: Readonly<Record<Status, string>> = {
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
        const chosen = STATUSES.find((one) => one === value) ?? 'PENDING';
        go({ status: chosen, isMine: value === MINE, kind: 'all', submissionId: undefined, recordId: undefined });
      }}
    >
      {STATUSES.map((one) => (
        <option key={one} value={one}>
          {LISTS[one]}
        </option>
      ))}
      <option value={MINE}>My decisions</option>
    </select>
  );
}
