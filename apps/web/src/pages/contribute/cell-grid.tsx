import type { Signal } from '@preact/signals';
import { MAX_RECORDS } from '@esd/record/submission-size';
import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { shownText } from '@esd/record/sheet/unreadable-cell';
import type { CheckedSheet } from '../../contribute/check-sheet.ts';
import { pastedCells } from '../../contribute/open-sheet.ts';
import { pastedText, pasteInto } from '../../contribute/pasted-text.ts';
import { type Sheet, type SheetCell, withRow, withTexts } from '../../contribute/sheet.ts';
import { countText, numberText } from '../../format.ts';
import { Button } from '../../parts/buttons.tsx';
import { HEADER, Heading, Row, ROW_NAME } from './grid-cells.tsx';
import { chipId } from './heading-strip.tsx';
import { cellAfterKey, type CellPosition, PAGE_ROWS, useActiveCell } from './use-active-cell.ts';

interface Props {
  contribution: Contribution;
  sheet: Sheet;
  checked: CheckedSheet;
  /** The cell that gets the focus next. */
  wanted: Signal<CellPosition | undefined>;
}

/**
 * Shows the rows as a grid with one tab stop. Arrow keys move, Enter or F2 edits, Escape undoes, and Delete clears. Pasting fills the
 * grid from the active cell. Enter on a heading opens its chip. Enter on the number of a row leaves the row out, or reads it.
 */
export function CellGrid({ contribution, sheet, checked, wanted }: Props) {
  const { rows, columns } = checked;
  const { active, edited, page, last, focus, edit } = useActiveCell(checked, wanted);
  const { row, column } = active.value;
  const textAt = (at: number): string => shownText(rows[at]?.row.cells[columns[column]?.index ?? -1] ?? '');
  const put = (texts: readonly (readonly SheetCell[])[]): void => {
    const next = Math.max(...sheet.rows.map(({ number }) => number)) + 1;
    // Rows after the last one would belong to the last table.
    const isLastTable = checked.reading.tables.at(-1)?.headingRow === checked.reading.headingRow;
    const room = texts.slice(0, (isLastTable ? MAX_RECORDS : rows.length) - row);
    const numbers = room.map((_, down) => rows[row + down]?.row.number ?? next + row + down - rows.length);
    const indexes = columns.slice(column).map(({ index }) => index);
    contribution.change(() => (contribution.sheet.value = withTexts(sheet, numbers, indexes, room)));
    if (room.length < texts.length)
      contribution.problem.value = `${countText(texts.length - room.length, 'pasted row')} did not fit into the table.`;
  };
  const toggleRow = (at: number): void => {
    const checkedRow = rows[at];
    if (checkedRow === undefined || contribution.isBusy.value) return;
    const { row: sheetRow, state } = checkedRow;
    contribution.change(() => (contribution.sheet.value = withRow(sheet, sheetRow.number, state === 'left-out')));
  };
  const beginEditing = (text?: string): void => {
    // Rows leave the sheet when they are sent, and other rows get their indexes.
    if (contribution.isBusy.value) return;
    if (row === HEADER) document.getElementById(chipId(column))?.click();
    else edit(text ?? textAt(row));
  };
  const putText = (text: string): void => {
    if (row !== HEADER && text.trim() !== textAt(row)) put([[text.trim()]]);
  };
  const finish = (text: string | undefined, next: CellPosition): void => {
    if (text !== undefined) putText(text);
    focus(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (edited.value !== undefined) {
      const input = event.target instanceof HTMLInputElement ? event.target.value : undefined;
      if (event.key === 'Escape') finish(undefined, active.value);
      else if (event.key === 'Enter') finish(input, { row: row + 1, column });
      else return;
      event.preventDefault();
      return;
    }
    const move = cellAfterKey(event, active.value, last);
    if (move) focus(move);
    // Enter and Space click the button.
    else if (column === ROW_NAME) return;
    else if (event.key === 'Enter' || event.key === 'F2') beginEditing();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && row !== HEADER) {
      put([['']]);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && row !== HEADER) {
      beginEditing(event.key);
    } else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (edited.value !== undefined && event.target instanceof HTMLInputElement) pasteInto(event.target, event);
    if (edited.value !== undefined || row === HEADER || column === ROW_NAME) return;
    const text = pastedText(event.clipboardData);
    if (text === '') return;
    event.preventDefault();
    put(pastedCells(text.replace(/\r?\n$/, '')));
  };
  const first = page.value * PAGE_ROWS;
  const text = edited.value;
  return (
    <div>
      <div class="scroll">
        <table
          class="grid"
          role="grid"
          aria-label="Rows of the sheet"
          aria-rowcount={rows.length + 1}
          aria-colcount={columns.length + 1}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onClick={({ target }) => {
            const position = positionOf(target);
            if (position?.column === ROW_NAME) toggleRow(position.row);
            if (!position || (position.row === row && position.column === column)) return;
            focus(position);
          }}
          onDblClick={() => {
            if (column !== ROW_NAME) beginEditing();
          }}
          onFocusIn={({ target }) => {
            // Screen readers move the focus to a cell without a click or a key.
            const position = positionOf(target);
            if (position && (position.row !== row || position.column !== column)) active.value = position;
          }}
          onFocusOut={({ target }) => {
            if (edited.value === undefined || !(target instanceof HTMLInputElement)) return;
            edited.value = undefined;
            putText(target.value);
          }}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Row</th>
              {columns.map((gridColumn, at) => (
                <Heading
                  key={gridColumn.index}
                  column={gridColumn}
                  at={at}
                  isActive={row === HEADER && column === at}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(first, first + PAGE_ROWS).map((checkedRow, at) => (
              <Row
                key={checkedRow.row.number}
                at={first + at}
                checked={checkedRow}
                columns={columns}
                active={row === first + at ? column : undefined}
                edited={row === first + at ? text : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > PAGE_ROWS && <Pager page={page} count={rows.length} />}
    </div>
  );
}

function Pager({ page, count }: { page: Signal<number>; count: number }) {
  const turn = (pages: number): void => {
    page.value += pages;
    moveFocus('sheet');
  };
  const first = page.value * PAGE_ROWS;
  const end = first + PAGE_ROWS;
  return (
    <p class="bar small">
      <Button disabled={first === 0} onClick={() => turn(-1)}>
        Previous rows
      </Button>
      Rows {numberText(first + 1)}–{numberText(Math.min(end, count))} of {numberText(count)}
      <Button disabled={end >= count} onClick={() => turn(1)}>
        Next rows
      </Button>
    </p>
  );
}

function positionOf(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return cell ? { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) } : undefined;
}
