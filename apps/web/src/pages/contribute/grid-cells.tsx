import { useMemo } from 'preact/hooks';
import { flattenedColumns } from '@esd/record/flatten/flatten';
import type { CheckedRow, SheetRow } from '../../contribute/sheet.ts';
import { columnLabel, type SheetColumn } from '../../contribute/sheet-columns.ts';

/** The row index of the headings. */
export const HEADER = -1;
const LEFT_OUT = '(left out)';

export function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}

interface HeadingProps {
  column: SheetColumn;
  at: number;
  isActive: boolean;
  isEdited: boolean;
  error: string | undefined;
  onChoose: (column: string | null) => void;
}

export function Heading({ column: { heading, column, unit }, at, isActive, isEdited, error, onChoose }: HeadingProps) {
  const known = typeof column === 'string' ? columnLabel(column) : undefined;
  return (
    <th
      scope="col"
      id={cellId(HEADER, at)}
      data-row={HEADER}
      data-column={at}
      tabIndex={isActive ? 0 : -1}
      aria-colindex={at + 2}
      aria-invalid={error === undefined ? undefined : true}
      class={column === null ? 'left-out' : known?.unit === undefined ? undefined : 'number'}
      title={error ?? heading}
    >
      {isEdited ? (
        <select
          aria-label={`Content of ${heading === '' ? 'this column' : heading}`}
          value={column ?? ''}
          onChange={({ currentTarget: { value } }) => onChoose(value === LEFT_OUT || value === '' ? null : value)}
        >
          <option value="">Choose</option>
          <option value={LEFT_OUT}>Leave it out</option>
          {flattenedColumns.map((name) => (
            <option key={name} value={name}>
              {columnLabel(name).label}
            </option>
          ))}
        </select>
      ) : (
        <>
          {known?.label ?? (heading === '' ? '(no heading)' : heading)}
          <small>{column === null ? 'left out' : (unit ?? known?.unit)}</small>
        </>
      )}
    </th>
  );
}

interface RowProps {
  at: number;
  row: SheetRow;
  columns: readonly SheetColumn[];
  checked: CheckedRow;
  /** The column of the tab stop, if it is in this row. */
  active: number | undefined;
  edited: string | undefined;
}

export function Row({ at, row, columns, checked, active, edited }: RowProps) {
  // Most keys change only one row.
  return useMemo(
    () => (
      <tr aria-rowindex={at + 2}>
        <th scope="row">{row.number}</th>
        {columns.map((column, index) => {
          const error = checked.errors.find((finding) => finding.column === index);
          const warning = error ? undefined : checked.warnings.find((finding) => finding.column === index);
          const text = row.cells[index] ?? '';
          return (
            <td
              key={index}
              id={cellId(at, index)}
              data-row={at}
              data-column={index}
              tabIndex={active === index ? 0 : -1}
              aria-colindex={index + 2}
              aria-invalid={error ? true : undefined}
              aria-description={(error ?? warning)?.text}
              title={(error ?? warning)?.text}
              class={cellClass(text, column, warning !== undefined)}
            >
              {active === index && edited !== undefined ? (
                <input
                  aria-label={typeof column.column === 'string' ? columnLabel(column.column).label : column.heading}
                  defaultValue={edited}
                  spellcheck={false}
                  autocomplete="off"
                />
              ) : (
                text
              )}
            </td>
          );
        })}
      </tr>
    ),
    [at, row, columns, checked, active, edited],
  );
}

function cellClass(text: string, { column }: SheetColumn, isWarning: boolean): string | undefined {
  const isNumber = /^[-+]?[\d.,]+(e[-+]?\d+)?$/i.test(text);
  const classes = [
    ...(isNumber ? ['number'] : []),
    ...(isWarning ? ['doubtful'] : []),
    ...(column === null ? ['left-out'] : []),
  ];
  return classes.length === 0 ? undefined : classes.join(' ');
}
