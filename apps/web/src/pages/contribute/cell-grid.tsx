import type { Signal } from '@preact/signals';
import { moveFocus } from '../../client/move-focus.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import type { ReferenceData } from '../../contribute/reference-data.ts';
import { type CellFinding, pasteCells, type Sheet, withCell, withColumn } from '../../contribute/sheet.ts';
import { numberText } from '../../format.ts';
import { HEADER, Heading, Row } from './grid-cells.tsx';
import { cellAfterKey, type CellPosition, PAGE_ROWS, useActiveCell } from './use-active-cell.ts';

interface Props {
  contribution: Contribution;
  sheet: Sheet;
  referenceData: ReferenceData;
  headings: readonly CellFinding[];
  /** The cell that gets the focus next. */
  wanted: Signal<CellPosition | undefined>;
}

/**
 * Shows the rows as a grid with one tab stop. Arrow keys move, Enter or F2 edits, Escape undoes, and Delete clears. Pasting fills the
 * grid from the active cell. Editing a heading selects the content of its column.
 */
export function CellGrid({ contribution, sheet, referenceData, headings, wanted }: Props) {
  const { active, edited, page, last, focus, edit } = useActiveCell(sheet, wanted);
  const { row, column } = active.value;
  const change = (next: Sheet): void => contribution.change(() => (contribution.sheet.value = next));
  const beginEditing = (text?: string): void => {
    // Rows leave the sheet when they are sent, and other rows get their indexes.
    if (contribution.isBusy.value) return;
    edit(text ?? (row === HEADER ? '' : (sheet.rows[row]?.cells[column] ?? '')));
  };
  const put = (text: string): void => {
    if (row !== HEADER && text !== sheet.rows[row]?.cells[column]) change(withCell(sheet, row, column, text.trim()));
  };
  const finish = (text: string | undefined, next: CellPosition): void => {
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
    const move = cellAfterKey(event, active.value, last);
    if (move) focus(move);
    else if (event.key === 'Enter' || event.key === 'F2') beginEditing();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && row !== HEADER) {
      change(withCell(sheet, row, column, ''));
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && row !== HEADER) {
      beginEditing(event.key);
    } else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (edited.value !== undefined || row === HEADER) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text === '') return;
    event.preventDefault();
    change(pasteCells(sheet, row, column, text.replace(/\r?\n$/, '')));
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
          aria-rowcount={sheet.rows.length + 1}
          aria-colcount={sheet.columns.length + 1}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onClick={({ target }) => {
            const position = positionOf(target);
            if (!position || (position.row === row && position.column === column)) return;
            focus(position);
          }}
          onDblClick={() => beginEditing()}
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
                checked={contribution.checkedRow(sheet, one, referenceData)}
                active={row === first + at ? column : undefined}
                edited={row === first + at ? text : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      {sheet.rows.length > PAGE_ROWS && <Pager page={page} count={sheet.rows.length} />}
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
      <button type="button" class="button" disabled={first === 0} onClick={() => turn(-1)}>
        Previous rows
      </button>
      Rows {numberText(first + 1)}–{numberText(Math.min(end, count))} of {numberText(count)}
      <button type="button" class="button" disabled={end >= count} onClick={() => turn(1)}>
        Next rows
      </button>
    </p>
  );
}

function positionOf(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return cell ? { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) } : undefined;
}
