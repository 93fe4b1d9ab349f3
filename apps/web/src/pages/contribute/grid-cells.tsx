import { useMemo } from 'preact/hooks';
import type { CheckedRow, GridColumn } from '../../contribute/check-sheet.ts';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import { columnLabel } from '../../contribute/sheet-columns.ts';
import { leftOutText } from './left-out-rows.tsx';

/** The row index of the headings. */
export const HEADER = -1;

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
    const { row, state, reason, errors, warnings } = checked;
    return (
      <tr aria-rowindex={at + 2} class={state === 'left-out' ? 'left-out' : undefined}>
        <th scope="row" title={state === 'left-out' ? leftOutText(reason) : undefined}>
          {row.number}
        </th>
        {columns.map((column, position) => {
          const { index } = column;
          const error = errors.find((finding) => finding.column === index);
          const warning = error ? undefined : warnings.find((finding) => finding.column === index);
          const text = shownText(row.cells[index] ?? '');
          return (
            <td
              key={index}
              id={cellId(at, position)}
              data-row={at}
              data-column={position}
              tabIndex={active === position ? 0 : -1}
              aria-colindex={position + 2}
              aria-invalid={error ? true : undefined}
              aria-description={(error ?? warning)?.text}
              title={(error ?? warning)?.text}
              class={cellClass(text, column, warning !== undefined)}
            >
              {active === position && edited !== undefined ? (
                <input aria-label={headingTitle(column)} defaultValue={edited} spellcheck={false} autocomplete="off" />
              ) : (
                text
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
