import { useEffect } from 'preact/hooks';
import { dateText } from '../format.ts';
import { usePage } from '../staff/use-page.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { searchOf } from './address.ts';
import { DONE } from './decisions.ts';
import type { Moderation } from './moderation.ts';
import { type Decision, decision } from './shapes.ts';
import { WhichList } from './which-list.tsx';

export function DecisionList({ desk }: { desk: Moderation }) {
  const { value, error, isLoading, reload, more } = usePage('/moderation/decisions', decision, {});
  const done = desk.done.value;
  useEffect(() => {
    if (done !== undefined) reload();
  }, [done, reload]);
  return (
    <nav class="queue" aria-label="My decisions" aria-busy={isLoading}>
      <div class="filters">
        <div class="row spread">
          <h2>My decisions{value && `: ${value.total}`}</h2>
          <span class="small muted">newest first</span>
        </div>
        <div class="row">
          <WhichList desk={desk} />
        </div>
      </div>
      <Failure error={error} again={reload} />
      {value?.total === 0 && <p class="padded muted">You have not made any decisions yet.</p>}
      <ul>
        {value?.data.map((one) => (
          <DecisionEntry key={one.id} entry={one} desk={desk} />
        ))}
      </ul>
      {more && (
        <p class="padded small">
          <button type="button" class="link" onClick={more}>
            Show more
          </button>
        </p>
      )}
    </nav>
  );
}

function DecisionEntry({
  entry: { at, action, recordId, reason, record },
  desk,
}: {
  entry: Decision;
  desk: Moderation;
}) {
  const { base } = useStaff();
  const title = (
    <>
      <b>
        Record {recordId} {DONE[action] ?? action}
      </b>
      <span>
        {dateText(at)}
        {reason !== undefined && ` · “${reason}”`}
      </span>
    </>
  );
  // The record was deleted with the account of its owner.
  if (!record) return <li class="gone">{title}</li>;
  const { view, go } = desk;
  return (
    <li>
      <a
        href={`${base}/moderate${searchOf({ ...view.value, recordId })}`}
        aria-current={view.value.recordId === recordId ? 'true' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          go({ recordId });
        }}
      >
        {title}
        <StatusBadge status={record.withdrawn ? 'WITHDRAWN' : record.status} />
      </a>
    </li>
  );
}
