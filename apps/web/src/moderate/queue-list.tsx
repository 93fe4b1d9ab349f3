import type { ResponseAt } from '@esd/api/operations';
import { type QueueKind, queueKinds } from '@esd/record/status/queue-kinds';
import { type ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { fieldText } from '../client/form.ts';
import { moveFocus } from '../client/move-focus.ts';
import { countText } from '../format.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { onPlainClick, onSubmit } from '../client/events.ts';
import { listsRecords, NO_FILTERS, type QueueView, searchOf } from './address.ts';
import { agoText, sinceText } from './ago.ts';
import type { Moderation } from './moderation.ts';
import { LISTS, WhichList } from './which-list.tsx';

const KIND_NAMES: Readonly<Record<QueueKind, string>> = {
  all: 'All kinds',
  new: 'New',
  corrections: 'Corrections',
  answered: 'Answered',
  warnings: 'With warnings',
  anonymous: 'Without an account',
};

const HEADING = 'queue';

export function QueueList({ desk }: { desk: Moderation }) {
  const { view, records, submissions } = desk;
  const hasRecords = listsRecords(view.value);
  const { queue, hasMore, list } = hasRecords ? records : submissions;
  const { entries, total, counts, isLoading, error } = queue.value;
  const { status, origin, kind } = view.value;
  const show = (change: Partial<QueueView>): void =>
    desk.go({ ...change, submissionId: undefined, recordId: undefined });
  const showList = (change: Partial<QueueView>): void => {
    show(change);
    moveFocus(HEADING);
  };
  return (
    <nav class="queue" aria-label="Queue" aria-busy={isLoading}>
      <div class="filters">
        <div class="row spread">
          <h2 id={HEADING}>
            {LISTS[status]}: {total}
          </h2>
          <span class="small muted">oldest first</span>
        </div>
        <div class="row">
          <span class="switch" role="group" aria-label="List">
            <button
              type="button"
              aria-pressed={!hasRecords}
              onClick={() => showList({ ...NO_FILTERS, kind, hasRecords: false })}
            >
              Submissions
            </button>
            <button type="button" aria-pressed={hasRecords} onClick={() => showList({ hasRecords: true })}>
              Records
            </button>
          </span>
        </div>
        <div class="row">
          <WhichList desk={desk} />
          <select
            aria-label="Kind"
            value={kind}
            onChange={({ currentTarget: { value } }) =>
              show({ kind: queueKinds.find((option) => option === value) ?? 'all' })
            }
          >
            {queueKinds.map((option) => (
              <option key={option} value={option}>
                {KIND_NAMES[option]}
                {counts && ` (${counts[option]})`}
              </option>
            ))}
          </select>
        </div>
        <SearchForm desk={desk} />
        {origin !== '' && (
          <Chip name="one network" remove={() => show({ origin: '' })}>
            <i>from</i> one network
          </Chip>
        )}
      </div>
      <Failure error={error} again={() => void list()} />
      {!isLoading && total === 0 && (
        <p class="padded muted">
          {status === 'PENDING' && kind === 'all' ? 'The queue is empty.' : 'Nothing matches.'}
        </p>
      )}
      <ul>
        {hasRecords
          ? records.queue.value.entries.map((entry) => <RecordEntry key={entry.recordId} entry={entry} desk={desk} />)
          : submissions.queue.value.entries.map((entry) => (
              <Submission key={entry.submissionId} entry={entry} desk={desk} />
            ))}
      </ul>
      {hasMore.value && (
        <p class="padded small">
          <LinkButton onClick={() => void list('end')}>Show more ({total - entries.length} left)</LinkButton>
        </p>
      )}
    </nav>
  );
}

function Chip({ name, remove, children }: { name: string; remove: () => void; children: ComponentChildren }) {
  return (
    <p class="row">
      <span class="chip">
        <span>{children}</span>
        <button type="button" aria-label={`Remove filter: ${name}`} onClick={remove}>
          ×
        </button>
      </span>
    </p>
  );
}

function SearchForm({ desk: { view, go } }: { desk: Moderation }) {
  const { polymer, submitter } = view.value;
  const isFiltered = polymer !== '' || submitter !== '';
  const filter = (texts: { polymer: string; submitter: string }): void =>
    go({ ...texts, submissionId: undefined, recordId: undefined });
  return (
    <details open={isFiltered}>
      <summary>Filter by polymer or submitter</summary>
      <form
        class="row"
        onSubmit={onSubmit((data) => {
          const text = (name: string): string => fieldText(data, name).trim();
          filter({ polymer: text('polymer'), submitter: text('submitter') });
        })}
      >
        <input name="polymer" aria-label="Polymer" placeholder="Polymer" defaultValue={polymer} maxLength={320} />
        <input
          name="submitter"
          aria-label="Submitter"
          placeholder="Name or email"
          defaultValue={submitter}
          maxLength={320}
        />
        <button class="button">Filter</button>
        {isFiltered && <LinkButton onClick={() => filter({ polymer: '', submitter: '' })}>Clear</LinkButton>}
      </form>
    </details>
  );
}

function Submission({
  entry,
  desk,
}: {
  entry: ResponseAt<'get', '/moderation/submissions'>['data'][number];
  desk: Moderation;
}) {
  const { submissionId, polymers, summary, records, ownerAccountId, warningCount, answered, waitingSince } = entry;
  const { status } = desk.view.value;
  const [count, all] = [records[status], Object.values(records).reduce((sum, one) => sum + one, 0)];
  return (
    <Entry desk={desk} id={submissionId} opens={{ submissionId, recordId: undefined }}>
      <b>{namesText(polymers)}</b>
      <span>{summary}</span>
      <span>
        {count < all ? `${count} of ${countText(all, 'record')}` : countText(all, 'record')}
        {ownerAccountId === undefined && ', anonymous'}
        {answered && ' · answered'}
      </span>
      <span>
        Submission {submissionId} · {sinceText(waitingSince)} · {warningsText(warningCount)}
      </span>
    </Entry>
  );
}

function RecordEntry({
  entry,
  desk,
}: {
  entry: ResponseAt<'get', '/moderation/queue'>['data'][number];
  desk: Moderation;
}) {
  const { recordId, polymers, publishedRevision, submissionId, waitedSeconds, warningCount, ownerAccountId } = entry;
  const kind = publishedRevision === undefined ? 'new record' : 'correction to record';
  return (
    <Entry desk={desk} id={recordId} opens={{ recordId, submissionId: undefined }}>
      <b>{namesText(polymers)}</b>
      <span>{entry.summary}</span>
      <span>
        {kind} {recordId}
        {ownerAccountId === undefined && ', anonymous'}
        {entry.answered && ' · answered'}
      </span>
      <span>
        Submission {submissionId} · {agoText(waitedSeconds)} · {warningsText(warningCount)}
      </span>
    </Entry>
  );
}

interface EntryProps {
  desk: Moderation;
  id: number;
  opens: Pick<QueueView, 'recordId' | 'submissionId'>;
  children: ComponentChildren;
}

function Entry({ desk, id, opens, children }: EntryProps) {
  const { base } = useStaff();
  const { view, cursor } = desk;
  const { submissionId, recordId } = view.value;
  const link = useRef<HTMLAnchorElement>(null);
  const isListed = submissionId === undefined && recordId === undefined;
  const isCurrent = (isListed ? cursor.value : listsRecords(view.value) ? recordId : submissionId) === id;
  useLayoutEffect(() => {
    if (!isCurrent) return;
    link.current?.scrollIntoView({ block: 'nearest' });
    if (isListed) moveFocus(link.current);
  }, [isCurrent, isListed]);
  return (
    <li>
      <a
        ref={link}
        href={`${base}/moderate${searchOf({ ...view.value, ...opens })}`}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onPlainClick(() => desk.go(opens))}
      >
        {children}
      </a>
    </li>
  );
}

const MAX_NAMES = 3;

function namesText(polymers: readonly string[]): string {
  if (polymers.length === 0) return 'No polymer';
  return polymers.length > MAX_NAMES ? countText(polymers.length, 'polymer') : polymers.join(', ');
}

function warningsText(count: number): string {
  return count === 0 ? 'no warnings' : countText(count, 'warning');
}
