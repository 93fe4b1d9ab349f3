import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MAX_ANONYMOUS_RECORDS, MAX_RECORDS } from '@esd/record/submission-size';
import { firstRows } from '@esd/record/sheet/sheet-tables';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import { moveFocus } from '../../client/move-focus.ts';
import { account } from '../../client/session.ts';
import {
  type CellFinding,
  type CheckedRow,
  type CheckedSheet,
  checkSheet,
  gridOf,
  readingOf,
} from '../../contribute/check-sheet.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { headingChoices } from '../../contribute/heading-choices.ts';
import { openTable } from '../../contribute/open-sheet.ts';
import { joinTables, type Replacement, type Sheet, withReplacement, withTable } from '../../contribute/sheet.ts';
import { countText, numberText } from '../../format.ts';
import { Button, LinkButton } from '../../parts/buttons.tsx';
import { CellGrid } from './cell-grid.tsx';
import { cellId, headingTitle } from './grid-cells.tsx';
import { HeadingRows, Tables } from './heading-rows.tsx';
import { HeadingStrip } from './heading-strip.tsx';
import { LeftOutRows } from './left-out-rows.tsx';
import { OUTCOME, OutcomeNote } from './outcome-note.tsx';
import { SenderFields } from './sender-fields.tsx';
import { nearId, Notes, Repairs, undoId } from './sheet-repairs.tsx';
import { SheetSource } from './sheet-source.tsx';

interface Props {
  contribution: Contribution;
  base: string;
}

export function SheetMode({ contribution, base }: Props) {
  const { sheet, outcome, checkedSheet } = contribution;
  useEffect(() => {
    contribution.checkSheet.value = checkSheet;
  }, [contribution]);
  const shown = sheet.value;
  const checked = checkedSheet.value;
  return (
    <section aria-labelledby="sheet">
      {outcome.value && <OutcomeNote outcome={outcome.value} base={base} />}
      <SheetSource contribution={contribution} base={base} />
      {shown && checked && <Rows contribution={contribution} sheet={shown} checked={checked} />}
      {shown && !checked && <WithoutHeadings contribution={contribution} sheet={shown} />}
    </section>
  );
}

/** Shows another heading row or table of the sheet, with the choices for headings of earlier sheets. */
function showTable(contribution: Contribution, sheet: Sheet): void {
  const { value: referenceData } = contribution.referenceData;
  if (referenceData)
    contribution.sheet.value = openTable(sheet, referenceData.references, headingChoices(), referenceData.percentiles);
}

/** Shows the first rows of a sheet whose headings the reader does not find. */
function WithoutHeadings({ contribution, sheet }: { contribution: Contribution; sheet: Sheet }) {
  const { value: referenceData } = contribution.referenceData;
  const outcome = referenceData && readingOf(sheet, referenceData.references, referenceData.percentiles);
  if (!outcome || !('kind' in outcome) || outcome.kind !== 'refused') return null;
  return outcome.problems.map(({ code, rows = [] }) => (
    <div key={code}>
      <p class="note warn" role="alert">
        {code === 'HIDDEN_HEADING_ROW'
          ? 'The heading row is hidden.'
          : 'No row or column has two headings that name fields.'}{' '}
        Choose the row that contains the headings. You then assign each column to a field.
      </p>
      <HeadingRows
        rows={rows}
        onChoose={(headingRow) => {
          contribution.change(() => showTable(contribution, withTable(sheet, { headingRow, table: undefined })));
          moveFocus('sheet');
        }}
      />
    </div>
  ));
}

/** A finding with the index of its row. */
interface LocatedFinding {
  readonly at: number;
  readonly row: CheckedRow;
  readonly finding: CellFinding;
}

const MAX_LISTED = 100;

function Rows({ contribution, sheet, checked }: { contribution: Contribution; sheet: Sheet; checked: CheckedSheet }) {
  const { isBusy, sender } = contribution;
  const wanted = useSignal<{ row: number; column: number } | undefined>(undefined);
  const reason = useSignal<string | undefined>(undefined);
  const said = useSignal('');
  const isSignedIn = Boolean(account.value);
  const senderErrors = useComputed(() => contribution.around.value);
  useEffect(() => {
    reason.value = undefined;
  }, [sender.value, sheet, reason]);
  const { rows, ready, reading, columns } = checked;
  const { counts, settled, errorCount } = reading;
  const located = (members: 'errors' | 'warnings'): LocatedFinding[] =>
    rows.flatMap((row, at) => row[members].map((finding) => ({ at, row, finding })));
  const show = (place: Pick<Sheet, 'headingRow' | 'table'>): void =>
    contribution.change(() => showTable(contribution, withTable(sheet, place)));
  const max = isSignedIn ? MAX_RECORDS : MAX_ANONYMOUS_RECORDS;
  const sent = ready.slice(0, max);
  const send = async (isCheck: boolean): Promise<void> => {
    contribution.showsAll.value = true;
    const [missing] = senderErrors.value;
    if (missing) {
      reason.value = missing.text;
      moveFocus(missing.path);
      return;
    }
    await contribution.sendRows(sent, isCheck);
    const { value: next } = contribution.sheet;
    if (next && (next.headingRow !== sheet.headingRow || next.table !== sheet.table)) {
      showTable(contribution, next);
      contribution.save();
    }
    moveFocus(contribution.outcome.value && OUTCOME);
  };
  const all = counts.ready + counts.errors;
  const isAll = sent.length === all && all > 0;
  const asking = columns.filter(({ state }) => state === 'ask');
  const asked = asking.length;
  const what = asking.some(({ choices }) => choices.length > 0) ? 'field or unit' : 'field';
  return (
    <>
      {reading.tables.length > 1 && (
        <Tables
          reading={reading}
          onChoose={(table) => show({ headingRow: sheet.headingRow, table })}
          onJoin={() => contribution.change(() => showTable(contribution, joinTables(sheet, reading.tables)))}
        />
      )}
      <HeadingStrip contribution={contribution} sheet={sheet} columns={columns} />
      <details class="small">
        <summary>
          Headings from row {reading.headingRow}. <span class="show">Choose another row</span>
        </summary>
        <HeadingRows
          rows={firstRows(gridOf(sheet).rows)}
          current={reading.headingRow}
          onChoose={(headingRow) => show({ headingRow, table: undefined })}
        />
      </details>
      <p class="small counts">
        <span role="status">
          <b>{countText(rows.length, 'row')}:</b> {numberText(counts.ready)} ready,{' '}
          <span class={counts.errors > 0 ? 'error' : undefined}>{numberText(counts.errors)} with errors</span>,{' '}
          {numberText(rows.length - all)} left out.
        </span>{' '}
        Edit the cells here; your file does not change.
        {sheet.isTransposed && ' Each column of the file is a row here.'}
        {sheet.isCut &&
          ` The rows after the first ${numberText(MAX_RECORDS)} were not read. Send these rows first, and then the others in another file.`}
      </p>
      <Repairs contribution={contribution} sheet={sheet} checked={checked} said={said} />
      <Notes sheet={sheet} checked={checked} />
      <LeftOutRows contribution={contribution} sheet={sheet} rows={rows} />
      <div class="with-errors">
        {rows.length > 0 && <CellGrid contribution={contribution} sheet={sheet} checked={checked} wanted={wanted} />}
        <Findings
          errors={located('errors')}
          warnings={located('warnings')}
          errorCount={errorCount}
          columns={columns}
          go={(cell) => (wanted.value = cell)}
          rowsWith={(column, text) =>
            rows.flatMap(({ row, state }) =>
              state !== 'left-out' && shownText(row.cells[column] ?? '').trim() === text ? [row.number] : [],
            )
          }
          replace={(replacement) => {
            contribution.change(() => (contribution.sheet.value = withReplacement(sheet, replacement)));
            const { before, after, rows: changed } = replacement;
            said.value = `${countText(changed.length, 'cell')} changed: read “${before}” as ${after}.`;
            // Without another finding, the focus would leave the list.
            const left = contribution.checkedSheet.value?.rows ?? [];
            if (!left.some((row) => row.errors.length + row.warnings.length > 0))
              moveFocus(undoId(sheet.replaced.length));
          }}
        />
      </div>
      <SenderFields contribution={contribution} />
      <div class="bar send">
        <button
          type="button"
          class={`button ${isAll ? 'primary' : ''}`}
          aria-disabled={!isAll || isBusy.value}
          aria-describedby="why"
          onClick={() => {
            if (isAll) void send(false);
          }}
        >
          {isBusy.value ? 'Sending…' : `Send ${countText(all, 'row')}`}
        </button>
        {!isAll && sent.length > 0 && (
          <Button disabled={isBusy.value} onClick={() => void send(false)}>
            {sent.length < ready.length
              ? `Send the first ${numberText(sent.length)} ready rows`
              : `Send the ${numberText(sent.length)} ready ${sent.length === 1 ? 'row' : 'rows'}`}
          </Button>
        )}
        {sent.length > 0 && (
          <Button disabled={isBusy.value} onClick={() => void send(true)}>
            Check only
          </Button>
        )}
        <span class="small muted" id="why" role="status">
          {reason.value ??
            (settled
              ? reasonText(errorCount, ready.length, max, isSignedIn)
              : `Choose a ${what} for ${countText(asked, 'heading')}, or leave ${asked === 1 ? 'it' : 'them'} out.`)}
        </span>
      </div>
    </>
  );
}

function reasonText(errors: number, ready: number, max: number, isSignedIn: boolean): string {
  if (errors > 0) return `Fix ${countText(errors, 'error')} to send all rows.`;
  if (ready <= max) return '';
  return isSignedIn
    ? `You can send at most ${numberText(max)} rows at a time.`
    : `Without an account, you can send at most ${max} rows at a time. Sign in to send up to 1000.`;
}

/** Offers names for a cell, and for all cells of its column with the same text. */
function NearNames({
  located: { row, finding },
  rowsWith,
  replace,
}: Pick<FindingsProps, 'rowsWith' | 'replace'> & { located: LocatedFinding }) {
  const { column, near } = finding;
  if (near === undefined) return null;
  // A merged cell has its text in another row.
  const before = shownText(row.row.cells[column] ?? '').trim() || near.cell;
  const rows = rowsWith(column, before);
  if (rows.length === 0) return null;
  return (
    <>
      {near.choices.map(({ choice, reads }, at) => (
        <span key={choice}>
          {at === 0 && ' Use:'}{' '}
          <LinkButton
            id={nearId({ column, row: row.row.number, after: reads })}
            onClick={() => replace({ column, before, after: reads, rows })}
          >
            {choice}
          </LinkButton>
          {at < near.choices.length - 1 && ' ·'}
        </span>
      ))}
      {rows.length > 1 && ` in ${countText(rows.length, 'cell')}`}
    </>
  );
}

interface FindingsProps {
  errors: readonly LocatedFinding[];
  warnings: readonly LocatedFinding[];
  /** The number of all errors; more than the listed ones in a long sheet. */
  errorCount: number;
  columns: CheckedSheet['columns'];
  go: (cell: { row: number; column: number }) => void;
  /** Returns the numbers of the rows that have a text in a column. */
  rowsWith: (column: number, text: string) => readonly number[];
  replace: (replacement: Replacement) => void;
}

function Findings({ errors, warnings, errorCount, columns, go, rowsWith, replace }: FindingsProps) {
  if (errors.length + warnings.length === 0) return null;
  const item = (isError: boolean) => {
    const shown = (located: LocatedFinding) => {
      const { at, row, finding } = located;
      const position = columns.findIndex(({ index }) => index === finding.column);
      const cell = { row: at, column: Math.max(0, position) };
      const column = columns[position];
      return (
        <li key={`${row.row.number} ${finding.column} ${finding.text}`}>
          <span class={isError ? 'error' : 'warning'} aria-hidden="true">
            {isError ? '✕' : '!'}
          </span>{' '}
          <a
            href={`#${cellId(cell.row, cell.column)}`}
            onClick={(event) => {
              event.preventDefault();
              go(cell);
            }}
          >
            {column === undefined ? `Row ${row.row.number}` : `Row ${row.row.number}, ${headingTitle(column)}`}
          </a>
          : {finding.text}
          <NearNames located={located} rowsWith={rowsWith} replace={replace} />
        </li>
      );
    };
    return shown;
  };
  const room = Math.max(0, MAX_LISTED - errors.length);
  return (
    <div>
      <h3>
        {countText(errorCount, 'error')}, {countText(warnings.length, 'warning')}
      </h3>
      <ul class="small findings">
        {errors.slice(0, MAX_LISTED).map(item(true))}
        {warnings.slice(0, room).map(item(false))}
      </ul>
      {errorCount + warnings.length > MAX_LISTED && <p class="small muted">Only the first {MAX_LISTED} are listed.</p>}
    </div>
  );
}
