import type { ResponseAt } from '@esd/api/operations';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { countText, dateText } from '../format.ts';
import { useRows } from '../staff/use-rows.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { onPlainClick } from '../client/events.ts';
import { searchOf } from './address.ts';
import { DONE } from './decisions.ts';
import type { Moderation } from './moderation.ts';
import { WhichList } from './which-list.tsx';

type Decision = ResponseAt<'get', '/moderation/decisions'>['data'][number];

export function DecisionList({ desk }: { desk: Moderation }) {
  const { value, error, isLoading, reload, more } = useRows('decisions', {}, (request, options) =>
    call(request, 'get', '/moderation/decisions', options),
  );
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
        {value?.data.map((entry) => (
          <DecisionEntry key={entry.id} entry={entry} desk={desk} />
        ))}
      </ul>
      {more && (
        <p class="padded small">
          <LinkButton onClick={more}>Show more</LinkButton>
        </p>
      )}
    </nav>
  );
}

function DecisionEntry({
  entry: { id, at, action, records, reason, undoUntil, undoneAt },
  desk,
}: {
  entry: Decision;
  desk: Moderation;
}) {
  const [first, ...others] = records;
  const what = others.length === 0 ? `Record ${first?.recordId ?? ''}` : countText(records.length, 'record');
  const title = (
    <>
      <b>
        {what} {DONE[action] ?? action}
      </b>
      <span>
        {dateText(at)}
        {reason !== undefined && ` · “${reason}”`}
        {undoneAt !== undefined && ' · undone'}
      </span>
    </>
  );
  const button = undoUntil !== null && (
    <LinkButton disabled={desk.isBusy.value} onClick={() => void desk.undo(id)}>
      Undo<span class="hidden-text"> the decision on {what.toLowerCase()}</span>
    </LinkButton>
  );
  if (first && others.length === 0) {
    return (
      <li>
        <RecordLink desk={desk} record={first}>
          {title}
        </RecordLink>
        {button && <p class="padded small">{button}</p>}
      </li>
    );
  }
  return (
    <li>
      <div class="entry">
        {title}
        {button}
        <details>
          <summary>Records</summary>
          <ul>
            {records.map((record) => (
              <li key={record.recordId}>
                <RecordLink desk={desk} record={record}>
                  Record {record.recordId}
                </RecordLink>
              </li>
            ))}
          </ul>
        </details>
      </div>
    </li>
  );
}

interface RecordLinkProps {
  desk: Moderation;
  record: Decision['records'][number];
  children: ComponentChildren;
}

function RecordLink({ desk: { view, go }, record: { recordId, record }, children }: RecordLinkProps) {
  const { base } = useStaff();
  // The record was deleted with the account of its owner.
  if (!record) return <div class="entry gone">{children}</div>;
  return (
    <a
      href={`${base}/moderate${searchOf({ ...view.value, recordId })}`}
      aria-current={view.value.recordId === recordId ? 'true' : undefined}
      onClick={onPlainClick(() => go({ recordId }))}
    >
      {children}
      <StatusBadge status={record.withdrawn ? 'WITHDRAWN' : record.status} />
    </a>
  );
}
