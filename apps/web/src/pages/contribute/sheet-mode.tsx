import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moveFocus } from '../../client/move-focus.ts';
import { account } from '../../client/session.ts';
import { type Contribution, MAX_ANONYMOUS, MAX_SIGNED_IN } from '../../contribute/contribution.ts';
import type { ReferenceData } from '../../contribute/reference-data.ts';
import type { CellFinding, Sheet } from '../../contribute/sheet.ts';
import { columnLabel } from '../../contribute/sheet-columns.ts';
import { countText, numberText } from '../../format.ts';
import { CellGrid } from './cell-grid.tsx';
import { cellId, HEADER } from './grid-cells.tsx';
import { OUTCOME, OutcomeNote } from './outcome-note.tsx';
import { SenderFields } from './sender-fields.tsx';
import { SheetSource } from './sheet-source.tsx';

interface Props {
  contribution: Contribution;
  base: string;
}

export function SheetMode({ contribution, base }: Props) {
  const { sheet, referenceData, outcome } = contribution;
  const shown = sheet.value;
  return (
    <section aria-labelledby="sheet">
      {outcome.value && <OutcomeNote outcome={outcome.value} base={base} />}
      <SheetSource contribution={contribution} base={base} />
      {shown && referenceData.value && (
        <Rows contribution={contribution} sheet={shown} referenceData={referenceData.value} />
      )}
    </section>
  );
}

/** A finding with its position in the sheet; the row is undefined for a heading. */
interface LocatedFinding {
  readonly row: number | undefined;
  readonly finding: CellFinding;
}

const MAX_LISTED = 100;

function Rows({
  contribution,
  sheet,
  referenceData,
}: {
  contribution: Contribution;
  sheet: Sheet;
  referenceData: ReferenceData;
}) {
  const { isBusy, sender } = contribution;
  const wanted = useSignal<{ row: number; column: number } | undefined>(undefined);
  const reason = useSignal<string | undefined>(undefined);
  const isSignedIn = Boolean(account.value);
  const senderErrors = useComputed(() => contribution.around.value);
  useEffect(() => {
    reason.value = undefined;
  }, [sender.value, sheet, reason]);
  const { headings, rows, ready, wrong, doubtful, leftOut } = contribution.checkedSheet(sheet, referenceData);
  // While a heading is wrong, no row is ready.
  const withErrors = rows.length - ready.length;
  const errors: LocatedFinding[] = [
    ...headings.map((finding) => ({ row: undefined, finding })),
    ...wrong.flatMap(({ at, checked }) => checked.errors.map((finding) => ({ row: at, finding }))),
  ];
  const warnings = doubtful.flatMap(({ at, checked }) => checked.warnings.map((finding) => ({ row: at, finding })));
  const max = isSignedIn ? MAX_SIGNED_IN : MAX_ANONYMOUS;
  const sent = ready.slice(0, max);
  const send = async (isCheck: boolean): Promise<void> => {
    contribution.showsAll.value = true;
    const [missing] = senderErrors.value;
    if (missing) {
      reason.value = missing.text;
      moveFocus(missing.path);
      return;
    }
    await contribution.sendRows(
      sent.map(({ row }) => row),
      isCheck,
    );
    moveFocus(contribution.outcome.value && OUTCOME);
  };
  const isAll = sent.length === rows.length;
  return (
    <>
      <p class="small">
        <b>{countText(rows.length + leftOut, 'row')}:</b> {numberText(ready.length)} ready,{' '}
        <span class={withErrors > 0 ? 'error' : undefined}>{numberText(withErrors)} with errors</span>,{' '}
        {numberText(leftOut)} left out. Edit the cells here; your file does not change.
        {sheet.cut > 0 &&
          ` ${countText(sheet.cut, 'row')} after the first ${MAX_SIGNED_IN} were not read. Send these rows first.`}
      </p>
      <div class="with-errors">
        <CellGrid
          contribution={contribution}
          sheet={sheet}
          referenceData={referenceData}
          headings={headings}
          wanted={wanted}
        />
        <Findings errors={errors} warnings={warnings} sheet={sheet} go={(cell) => (wanted.value = cell)} />
      </div>
      <SenderFields contribution={contribution} />
      <div class="bar send">
        <button
          type="button"
          class={`button ${isAll ? 'primary' : ''}`}
          aria-disabled={!isAll || isBusy.value}
          aria-describedby="why"
          onClick={() => {
            if (isAll && rows.length > 0) void send(false);
          }}
        >
          {isBusy.value ? 'Sending…' : `Send ${countText(rows.length, 'row')}`}
        </button>
        {!isAll && sent.length > 0 && (
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void send(false)}>
            {sent.length < ready.length
              ? `Send the first ${numberText(sent.length)} ready rows`
              : `Send the ${numberText(sent.length)} ready ${sent.length === 1 ? 'row' : 'rows'}`}
          </button>
        )}
        {sent.length > 0 && (
          <button type="button" class="button" disabled={isBusy.value} onClick={() => void send(true)}>
            Check only
          </button>
        )}
        <span class="small muted" id="why" role="status">
          {reason.value ?? reasonText(errors.length, ready.length, max, isSignedIn)}
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

interface FindingsProps {
  errors: readonly LocatedFinding[];
  warnings: readonly LocatedFinding[];
  sheet: Sheet;
  go: (cell: { row: number; column: number }) => void;
}

function Findings({ errors, warnings, sheet, go }: FindingsProps) {
  if (errors.length + warnings.length === 0) return null;
  const item = (isError: boolean) => {
    const shown = ({ row, finding: { column, text } }: LocatedFinding) => {
      const cell = { row: row ?? HEADER, column: Math.max(0, column) };
      return (
        <li>
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
            {positionText(sheet, row, column)}
          </a>
          : {text}
        </li>
      );
    };
    return shown;
  };
  const room = Math.max(0, MAX_LISTED - errors.length);
  return (
    <div>
      <h3>
        {countText(errors.length, 'error')}, {countText(warnings.length, 'warning')}
      </h3>
      <ul class="small findings">
        {errors.slice(0, MAX_LISTED).map(item(true))}
        {warnings.slice(0, room).map(item(false))}
      </ul>
      {errors.length + warnings.length > MAX_LISTED && (
        <p class="small muted">Only the first {MAX_LISTED} are listed.</p>
      )}
    </div>
  );
}

function positionText({ rows, columns }: Sheet, row: number | undefined, index: number): string {
  const column = columns[index];
  const name = typeof column?.column === 'string' ? columnLabel(column.column).label : column?.heading;
  const title = column === undefined ? undefined : name === '' ? `column ${index + 1}` : name;
  if (row === undefined) return `Heading ${title ?? ''}`;
  const where = `Row ${rows[row]?.number ?? row + 2}`;
  return title === undefined ? where : `${where}, ${title}`;
}
