import { useMemo } from 'preact/hooks';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import { type CheckedRow, columnAt, type GridColumn } from '../../contribute/check-sheet.ts';
import { columnLabel } from '../../contribute/sheet-columns.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { leftOutText } from './left-out-rows.tsx';
import { noteText, readsText } from './note-text.ts';

/** The row index of the headings. */
export const HEADER = -1;
/** The column index of the numbers of the rows. */
export const ROW_NAME = -1;

export function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}

export function headingTitle({ reads, heading, at }: GridColumn): string {
  return reads === null ? heading || `column ${at}` : columnLabel(reads).label;
}

/** Returns the unit of a column that is read; undefined if its cells have their own. */
export function unitText({ unit, assumedUnit }: GridColumn): string | undefined {
  return unit ?? (assumedUnit === undefined ? undefined : `${assumedUnit} (assumed)`);
}

const askText = ({ units }: GridColumn): string => (units.length > 0 ? 'choose a unit' : 'choose a field');

export function Heading({ column, at, isActive }: { column: GridColumn; at: number; isActive: boolean }) {
  const { heading, state } = column;
  const unit = unitText(column);
  return (
    <th
      scope="col"
      id={cellId(HEADER, at)}
      data-row={HEADER}
      data-column={at}
      tabIndex={isActive ? 0 : -1}
      aria-colindex={at + 2}
      aria-invalid={state === 'ask' ? true : undefined}
      class={state === 'left-out' ? 'left-out' : state === 'ask' || unit === undefined ? undefined : 'number'}
      title={heading}
    >
      <span>{headingTitle(column)}</span>
      <small>{state === 'read' ? unit : state === 'ask' ? askText(column) : 'left out'}</small>
    </th>
  );
}

interface RowProps {
  at: number;
  checked: CheckedRow;
  columns: readonly GridColumn[];
  /** The column of the tab stop, if it is in this row. */
  active: number | undefined;
  edited: string | undefined;
}

export function Row({ at, checked, columns, active, edited }: RowProps) {
  // Most keys change only one row.
  return useMemo(() => {
    const { row, state, reason, errors, warnings, notes } = checked;
    const isLeftOut = state === 'left-out';
    return (
      <tr aria-rowindex={at + 2} class={isLeftOut ? 'left-out' : undefined}>
        <th scope="row" title={isLeftOut ? leftOutText(reason) : undefined}>
          {row.number}{' '}
          <LinkButton
            id={cellId(at, ROW_NAME)}
            data-row={at}
            data-column={ROW_NAME}
            tabIndex={active === ROW_NAME ? 0 : -1}
            aria-label={`${isLeftOut ? 'Read' : 'Leave out'} row ${row.number}`}
          >
            {isLeftOut ? 'Read' : 'Leave out'}
          </LinkButton>
        </th>
        {columns.map((column, position) => {
          const { index } = column;
          const error = errors.find((finding) => finding.column === index);
          const warning = error ? undefined : warnings.find((finding) => finding.column === index);
          const text = shownText(row.cells[index] ?? '');
          const read = notes.filter(({ path }) => columnAt(path) === index);
          const reads = read.map(readsText).find((reading) => reading !== text);
          const description = (error ?? warning)?.text ?? read.map((note) => noteText(note)).join(' ');
          return (
            <td
              key={index}
              id={cellId(at, position)}
              data-row={at}
              data-column={position}
              tabIndex={active === position ? 0 : -1}
              aria-colindex={position + 2}
              aria-invalid={error ? true : undefined}
              aria-description={description || undefined}
              title={description || undefined}
              class={cellClass(text, column, warning !== undefined)}
            >
              {active === position && edited !== undefined ? (
                <input aria-label={headingTitle(column)} defaultValue={edited} spellcheck={false} autocomplete="off" />
              ) : (
                <>
                  {text}
                  {reads !== undefined && <small aria-hidden="true">→ {reads}</small>}
                </>
              )}
            </td>
          );
        })}
      </tr>
    );
  }, [at, checked, columns, active, edited]);
}

function cellClass(text: string, { state }: GridColumn, isWarning: boolean): string | undefined {
  const isNumber = /^[-+]?[\d.,]+(e[-+]?\d+)?$/i.test(text);
  const classes = [
    ...(isNumber ? ['number'] : []),
    ...(isWarning ? ['doubtful'] : []),
    ...(state === 'left-out' ? ['left-out'] : []),
  ];
  return classes.length === 0 ? undefined : classes.join(' ');
}
