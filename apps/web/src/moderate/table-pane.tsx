import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { countText, numberText } from '../format.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { LinkButton } from '../parts/buttons.tsx';
import { onPlainClick } from '../client/events.ts';
import { searchOf } from './address.ts';
import { ConflictNote } from './conflict-note.tsx';
import type { Moderation } from './moderation.ts';
import type { SubmissionTable, TableRow } from './shapes.ts';

/** Shows the records of a submission as a table of the values that differ. */
export function TablePane({ desk }: { desk: Moderation }) {
  const { base } = useStaff();
  const { submission, view, done } = desk;
  const { failure, marks } = submission;
  const table = submission.table.value;
  const heading = useRef<HTMLHeadingElement>(null);
  const submissionId = table?.submissionId;
  useLayoutEffect(() => {
    if (desk.hasMoved()) moveFocus(heading.current);
  }, [desk, submissionId]);
  // After a decision, screen readers announce the table that remains.
  useLayoutEffect(() => {
    if (done.value) moveFocus(heading.current);
  }, [done.value]);
  return (
    <article class="padded" aria-busy={table === undefined}>
      <p class="back small">
        <a
          href={`${base}/moderate${searchOf({ ...view.value, submissionId: undefined })}`}
          onClick={(event) => {
            event.preventDefault();
            desk.back();
          }}
        >
          Back to the queue
        </a>
      </p>
      <ConflictNote desk={desk} />
      <Failure error={failure.value} again={() => void desk.openTable()} />
      <Failure error={desk.failure.value} />
      {table === undefined ? (
        failure.value === undefined && <p class="muted">Loading…</p>
      ) : (
        <>
          <h1 ref={heading} tabIndex={-1}>
            Submission {table.submissionId}
          </h1>
          <p class="small muted">
            {countText(table.rows.length, 'record')} by {table.submitterName ?? 'a contributor'},{' '}
            {table.ownerAccountId === undefined ? 'without an account' : 'with an account'}
            {marks.value.size > 0 && (
              <>
                {' · '}
                <LinkButton onClick={() => void submission.open()}>Show the current states</LinkButton>
              </>
            )}
          </p>
          <CommonValues table={table} />
          <Rows desk={desk} table={table} />
        </>
      )}
    </article>
  );
}

function CommonValues({ table: { columns, rows } }: { table: SubmissionTable }) {
  const common = columns.filter(({ value }) => value !== null);
  if (common.length === 0) return null;
  return (
    <section aria-labelledby="common">
      <h2 id="common">Same in all {numberText(rows.length)} records</h2>
      <dl class="common small">
        {common.map(({ column, label, value, unit }) => (
          <div key={column}>
            <dt>{label}</dt>
            <dd>
              {value}
              {unit !== null && ` ${unit}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Rows({ desk, table: { columns, rows } }: { desk: Moderation; table: SubmissionTable }) {
  const differing = columns.filter(({ distinct }) => distinct > 1);
  const names = differing.map(({ column }) => column);
  return (
    <div class="scroll" role="group" aria-label="Records" tabIndex={0}>
      <table class="records">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-text">Selected</span>
            </th>
            <th scope="col">Record</th>
            {differing.map(({ column, label, unit }) => (
              <th key={column} scope="col">
                {label} {unit !== null && <small>{unit}</small>}
              </th>
            ))}
            <th scope="col">Checks</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.recordId} desk={desk} row={row} names={names} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ desk, row, names }: { desk: Moderation; row: TableRow; names: readonly string[] }) {
  const { base } = useStaff();
  const { submission, view } = desk;
  const { recordId, status, warnings, publishedRevision } = row;
  // A table has up to 1,000 rows, so a change renders only the rows that it concerns.
  const mark = useComputed(() => submission.marks.value.get(recordId)).value;
  const isCurrent = useComputed(() => submission.current.value === recordId).value;
  const isSelected = useComputed(() => submission.selected.value.has(recordId)).value;
  const link = useRef<HTMLAnchorElement>(null);
  const wasCurrent = useRef(isCurrent);
  useLayoutEffect(() => {
    const tr = link.current?.closest('tr');
    if (isCurrent) tr?.scrollIntoView({ block: 'nearest' });
    // The heading has the focus when the table opens, and a checkbox keeps it.
    if (isCurrent && !wasCurrent.current && tr?.contains(document.activeElement) === false) moveFocus(link.current);
    wasCurrent.current = isCurrent;
  }, [isCurrent]);
  // A press of the mouse must not change the heights of the rows before its click.
  const follow = ({ currentTarget }: { currentTarget: Element }): void => {
    if (currentTarget.matches(':focus-visible')) submission.current.value = recordId;
  };
  const ofRow = warnings.filter(({ column }) => column === null || !names.includes(column));
  const changedElsewhere = row.changed.filter((column) => !names.includes(column));
  return (
    <tr class={`${isCurrent ? 'current' : ''}${isSelected ? ' selected' : ''}`}>
      <td>
        {status === 'PENDING' && (
          <input
            type="checkbox"
            aria-label={`Select record ${recordId}`}
            checked={isSelected}
            onFocus={follow}
            onChange={({ currentTarget }) => {
              submission.current.value = recordId;
              submission.select(recordId, currentTarget.checked);
            }}
          />
        )}
      </td>
      <th scope="row">
        <a
          ref={link}
          href={`${base}/moderate${searchOf({ ...view.value, recordId })}`}
          aria-current={isCurrent ? 'true' : undefined}
          onFocus={follow}
          onClick={onPlainClick(() => desk.go({ recordId }))}
        >
          {recordId}
        </a>
        {status !== 'PENDING' && <StatusBadge status={status} />}
        {mark !== undefined && <p class="race">{mark}</p>}
        {publishedRevision !== undefined && status === 'PENDING' && <p class="muted">correction</p>}
        {row.answered && <p class="muted">answered</p>}
      </th>
      {names.map((name) => (
        <td key={name} class={row.changed.includes(name) ? 'changed' : undefined}>
          {row.values[name] ?? <span class="muted">–</span>}
          {row.changed.includes(name) && <span class="hidden-text"> (changed)</span>}
          {warnings
            .filter(({ column }) => column === name)
            .map(({ message }) => (
              <Warning key={message} text={message} isShown={isCurrent} />
            ))}
        </td>
      ))}
      <td class="checks">
        {ofRow
          .filter(({ code }) => code !== 'LIKELY_DUPLICATE' || row.duplicates.length === 0)
          .map(({ message }) => (
            <Warning key={message} text={message} isShown={isCurrent} />
          ))}
        {row.duplicates.length > 0 && (
          <Warning text={`Same values and DOI as ${recordsText(row.duplicates)}.`} isShown={isCurrent} />
        )}
        {changedElsewhere.length > 0 && <p>Changes: {changedElsewhere.join(', ')}</p>}
      </td>
    </tr>
  );
}

function Warning({ text, isShown }: { text: string; isShown: boolean }) {
  return (
    <span class={`flag${isShown ? ' shown' : ''}`} title={text}>
      <span class="sign" aria-hidden="true">
        !
      </span>
      <span class={isShown ? '' : 'hidden-text'}> {text}</span>
    </span>
  );
}

const MAX_SHOWN = 3;

function recordsText(ids: readonly number[]): string {
  const others = ids.length - MAX_SHOWN;
  return `${ids.length === 1 ? 'record' : 'records'} ${ids.slice(0, MAX_SHOWN).join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
}
