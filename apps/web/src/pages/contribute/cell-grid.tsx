import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Contribution } from '../../contribute/contribution.ts';
import type { Knowledge } from '../../contribute/knowledge.ts';
import { type CellFinding, pasteCells, type Sheet, withCell, withColumn } from '../../contribute/sheet.ts';
import { numberText } from '../../format.ts';
import { cellId, HEADER, Heading, Row } from './grid-cells.tsx';

// More would make each key slow.
const PAGE_ROWS = 100;

export interface CellPlace {
  /** The index of the row, or HEADER. */
  readonly row: number;
  readonly column: number;
}

interface Props {
  contribution: Contribution;
  sheet: Sheet;
  knowledge: Knowledge;
  headings: readonly CellFinding[];
  /** The cell that the focus shall move to. */
  wanted: Signal<CellPlace | undefined>;
}

/**
 * The rows as a grid with one tab stop: arrows move, Enter or F2 edits, Escape undoes, Delete empties, pasting fills from the cell on. The headings
 * can be edited too: what a column holds is chosen there.
 */
export function CellGrid({ contribution, sheet, knowledge, headings, wanted }: Props) {
  const active = useSignal<CellPlace>({ row: 0, column: 0 });
  /** The text with which editing began; undefined while nothing is edited. */
  const edited = useSignal<string | undefined>(undefined);
  const page = useSignal(0);
  const takesFocus = useRef(false);
  const lastRow = sheet.rows.length - 1;
  const lastColumn = sheet.columns.length - 1;
  const focus = (place: CellPlace): void => {
    const row = Math.min(Math.max(place.row, HEADER), lastRow);
    active.value = { row, column: Math.min(Math.max(place.column, 0), lastColumn) };
    if (row >= 0) page.value = Math.floor(row / PAGE_ROWS);
    edited.value = undefined;
    takesFocus.current = true;
  };
  const { row, column } = active.value;
  // Before the next key, which belongs into the input.
  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    const cell = document.getElementById(cellId(row, column));
    const input = edited.value === undefined ? undefined : cell?.querySelector<HTMLElement>('input, select');
    (input ?? cell)?.focus();
    if (input instanceof HTMLInputElement) input.setSelectionRange(input.value.length, input.value.length);
  });
  const target = wanted.value;
  useEffect(() => {
    if (target === undefined) return;
    focus(target);
    wanted.value = undefined;
  });
  const change = (next: Sheet): void => contribution.change(() => (contribution.sheet.value = next));
  const edit = (text?: string): void => {
    // Rows that are sent leave the sheet, and another row takes their place.
    if (contribution.isBusy.value) return;
    edited.value = text ?? (row === HEADER ? '' : (sheet.rows[row]?.cells[column] ?? ''));
    takesFocus.current = true;
  };
  const put = (text: string): void => {
    if (row !== HEADER && text !== sheet.rows[row]?.cells[column]) change(withCell(sheet, row, column, text.trim()));
  };
  const finish = (text: string | undefined, next: CellPlace): void => {
    if (text !== undefined) put(text);
    focus(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (edited.value !== undefined) {
      const input = event.target instanceof HTMLInputElement ? event.target.value : undefined;
      if (event.key === 'Escape') finish(undefined, active.value);
      else if (event.key === 'Enter') finish(input, input === undefined ? active.value : { row: row + 1, column });
      else return;
      event.preventDefault();
      return;
    }
    const isFar = event.ctrlKey || event.metaKey;
    const moves: Readonly<Record<string, CellPlace>> = {
      ArrowUp: { row: isFar ? 0 : row - 1, column },
      ArrowDown: { row: isFar ? lastRow : row + 1, column },
      ArrowLeft: { row, column: isFar ? 0 : column - 1 },
      ArrowRight: { row, column: isFar ? lastColumn : column + 1 },
      Home: { row: isFar ? 0 : row, column: 0 },
      End: { row: isFar ? lastRow : row, column: lastColumn },
      PageUp: { row: Math.max(0, row - 10), column },
      PageDown: { row: row + 10, column },
    };
    const move = moves[event.key];
    if (move) focus(move);
    else if (event.key === 'Enter' || event.key === 'F2') edit();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && row !== HEADER) {
      change(withCell(sheet, row, column, ''));
    } else if (event.key.length === 1 && !isFar && !event.altKey && row !== HEADER) edit(event.key);
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (edited.value !== undefined || row === HEADER) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text === '') return;
    event.preventDefault();
    change(pasteCells(sheet, row, column, text.replace(/\r?\n$/, '')));
  };
  const placeOf = (target: EventTarget | null): CellPlace | undefined => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
    return cell ? { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) } : undefined;
  };
  const first = page.value * PAGE_ROWS;
  const pages = Math.ceil(sheet.rows.length / PAGE_ROWS);
  const text = edited.value;
  return (
    <div>
      <div class="scroll">
        <table
          class="grid"
          role="grid"
          aria-label="Rows of the sheet"
          aria-rowcount={sheet.rows.length + 1}
          aria-colcount={sheet.columns.length + 1}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onClick={({ target }) => {
            const place = placeOf(target);
            if (!place || (place.row === row && place.column === column)) return;
            focus(place);
          }}
          onDblClick={() => edit()}
          onFocusOut={({ target }) => {
            if (edited.value === undefined || !(target instanceof HTMLInputElement)) return;
            edited.value = undefined;
            put(target.value);
          }}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Row</th>
              {sheet.columns.map((one, at) => (
                <Heading
                  key={at}
                  column={one}
                  at={at}
                  isActive={row === HEADER && column === at}
                  isEdited={row === HEADER && column === at && text !== undefined}
                  error={headings.find((finding) => finding.column === at)?.text}
                  onChoose={(chosen) => {
                    change(withColumn(sheet, at, chosen));
                    focus({ row: HEADER, column: at });
                  }}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sheet.rows.slice(first, first + PAGE_ROWS).map((one, at) => (
              <Row
                key={first + at}
                at={first + at}
                row={one}
                columns={sheet.columns}
                checked={contribution.checkedRow(sheet, one, knowledge)}
                active={row === first + at ? column : undefined}
                edited={row === first + at ? text : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <p class="bar small">
          <button type="button" class="button" disabled={page.value === 0} onClick={() => (page.value -= 1)}>
            Rows before
          </button>
          Rows {numberText(first + 1)}–{numberText(Math.min(first + PAGE_ROWS, sheet.rows.length))} of{' '}
          {numberText(sheet.rows.length)}
          <button type="button" class="button" disabled={page.value === pages - 1} onClick={() => (page.value += 1)}>
            Rows behind
          </button>
        </p>
      )}
    </div>
  );
}
