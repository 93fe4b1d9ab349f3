import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { moveFocus } from '../client/move-focus.ts';
import { fieldText } from '../client/form.ts';
import { countText } from '../format.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { NO_FILTERS, searchOf } from './address.ts';
import { agoText } from './ago.ts';
import type { Moderation } from './moderation.ts';
import { MAX_AT_ONCE } from './queue.ts';
import type { QueueEntry } from './shapes.ts';
import { LISTS, WhichList } from './which-list.tsx';

const KINDS: Readonly<Record<string, (entry: QueueEntry) => boolean>> = {
  'All kinds': () => true,
  New: ({ publishedRevision }) => publishedRevision === undefined,
  Corrections: ({ publishedRevision }) => publishedRevision !== undefined,
  'With warnings': ({ warningCount }) => warningCount > 0,
  'Without an account': ({ ownerAccountId }) => ownerAccountId === undefined,
};

export function QueueList({ desk }: { desk: Moderation }) {
  const { view, queue, chosen, hasMore } = desk;
  const kind = useSignal('All kinds');
  const isSelecting = useSignal(false);
  const { entries, total, isLoading, error } = queue.value;
  const { status, origin, submissionId } = view.value;
  const listed = entries.filter(KINDS[kind.value] ?? (() => true));
  // The records of one submission are often decided together.
  const selects = isSelecting.value || chosen.value.size > 0 || submissionId !== '';
  return (
    <nav class="queue" aria-label="Queue" aria-busy={isLoading}>
      <div class="filters">
        <div class="row spread">
          <h2 id="queue">
            {LISTS[status]}: {total}
          </h2>
          <span class="small muted">oldest first</span>
        </div>
        <div class="row">
          <WhichList desk={desk} />
          <select
            aria-label="Kind"
            value={kind.value}
            onChange={({ currentTarget: { value } }) => (kind.value = value)}
          >
            {Object.keys(KINDS).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        <SearchForm desk={desk} />
        {origin !== '' && (
          <Chip name="one network" remove={() => desk.go({ origin: '', recordId: undefined })}>
            <i>from</i> one network
          </Chip>
        )}
        {submissionId !== '' && (
          <Chip name={`submission ${submissionId}`} remove={() => desk.go({ submissionId: '', recordId: undefined })}>
            <i>sent together as</i> submission {submissionId}
          </Chip>
        )}
        {status === 'PENDING' && (
          <p class="row">
            {submissionId === '' && (
              <button
                type="button"
                class="button"
                aria-pressed={selects}
                onClick={() => {
                  isSelecting.value = !selects;
                  if (selects) desk.chooseNone();
                }}
              >
                Select several
              </button>
            )}
            {selects && (
              <button
                type="button"
                class="link small"
                onClick={() => listed.slice(0, MAX_AT_ONCE).forEach(({ recordId }) => desk.choose(recordId, true))}
              >
                Select all shown ({listed.length})
              </button>
            )}
          </p>
        )}
      </div>
      <Failure error={error} again={() => void desk.list()} />
      {!isLoading && total === 0 && (
        <p class="padded muted">{status === 'PENDING' ? 'The queue is empty.' : 'No record matches.'}</p>
      )}
      <ul>
        {listed.map((entry, at) => (
          <Fragment key={entry.recordId}>
            {submissionId === '' && beginsGroup(listed, at) && (
              <SubmissionHeading desk={desk} submissionId={String(entry.submissionId)} />
            )}
            <Entry entry={entry} desk={desk} hasBox={selects} />
          </Fragment>
        ))}
      </ul>
      <p class="padded small muted">
        {listed.length < entries.length && (
          <>
            {countText(entries.length - listed.length, 'record of another kind is', 'records of other kinds are')}{' '}
            hidden.{' '}
          </>
        )}
        {hasMore.value && (
          <button type="button" class="link" onClick={() => void desk.list('end')}>
            Show more ({total - entries.length} left)
          </button>
        )}
      </p>
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

function beginsGroup(listed: readonly QueueEntry[], at: number): boolean {
  const idAt = (index: number): number | undefined => listed[index]?.submissionId;
  return idAt(at) === idAt(at + 1) && idAt(at) !== idAt(at - 1);
}

function SubmissionHeading({ desk, submissionId }: { desk: Moderation; submissionId: string }) {
  return (
    <li class="together">
      <span>Sent together: submission {submissionId}</span>
      <button
        type="button"
        class="link"
        aria-label={`Show only these of submission ${submissionId}`}
        onClick={() => {
          desk.go({ ...NO_FILTERS, submissionId, recordId: undefined });
          moveFocus('queue');
        }}
      >
        Show only these
      </button>
    </li>
  );
}

function SearchForm({ desk: { view, go } }: { desk: Moderation }) {
  const { polymer, submitter } = view.value;
  const isFiltered = polymer !== '' || submitter !== '';
  return (
    <details open={isFiltered}>
      <summary>Polymer, submitter</summary>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const text = (name: string): string => fieldText(data, name).trim();
          go({ polymer: text('polymer'), submitter: text('submitter'), recordId: undefined });
        }}
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
        {isFiltered && (
          <button type="button" class="link" onClick={() => go({ polymer: '', submitter: '', recordId: undefined })}>
            Clear
          </button>
        )}
      </form>
    </details>
  );
}

function Entry({ entry, desk, hasBox }: { entry: QueueEntry; desk: Moderation; hasBox: boolean }) {
  const { base } = useStaff();
  const { recordId, polymers, publishedRevision, submissionId, waitedSeconds, warningCount, ownerAccountId } = entry;
  const name = polymers.length === 0 ? 'No polymer' : polymers.join('–');
  const kind = publishedRevision === undefined ? 'new record' : 'correction to record';
  return (
    <li>
      {hasBox && (
        <input
          type="checkbox"
          aria-label={`Select record ${recordId}`}
          checked={desk.chosen.value.has(recordId)}
          onChange={({ currentTarget }) => desk.choose(recordId, currentTarget.checked)}
        />
      )}
      <a
        href={`${base}/moderate${searchOf({ ...desk.view.value, recordId })}`}
        aria-current={desk.view.value.recordId === recordId ? 'true' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          desk.go({ recordId });
        }}
      >
        <b>{name}</b>
        <span>
          {kind} {recordId}
          {ownerAccountId === undefined && ', anonymous'}
        </span>
        <span>
          Submission {submissionId} · {agoText(waitedSeconds)} ·{' '}
          {warningCount === 0 ? 'no warnings' : countText(warningCount, 'warning')}
        </span>
      </a>
    </li>
  );
}
