import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../../client/move-focus.ts';
import type { CheckedSheet } from '../../contribute/check-sheet.ts';
import { cellId, HEADER, ROW_NAME } from './grid-cells.tsx';

// More rows would make each key press slow.
export const PAGE_ROWS = 100;

export interface CellPosition {
  /** The index of the row, or HEADER. */
  readonly row: number;
  /** The index of the column, or ROW_NAME. */
  readonly column: number;
}

/** Manages the tab stop, the focus, and the editing of a grid. Moves the focus to the `wanted` cell. */
export function useActiveCell({ rows, columns }: CheckedSheet, wanted: Signal<CellPosition | undefined>) {
  const active = useSignal<CellPosition>({ row: 0, column: 0 });
  /** The initial text of the edited cell; undefined while no cell is edited. */
  const edited = useSignal<string | undefined>(undefined);
  const page = useSignal(0);
  const takesFocus = useRef(false);
  const last: CellPosition = { row: rows.length - 1, column: columns.length - 1 };
  const focus = (position: CellPosition): void => {
    const row = Math.min(Math.max(position.row, HEADER), last.row);
    const first = row === HEADER ? 0 : ROW_NAME;
    active.value = { row, column: Math.min(Math.max(position.column, first), last.column) };
    if (row >= 0) page.value = Math.floor(row / PAGE_ROWS);
    edited.value = undefined;
    takesFocus.current = true;
  };
  const edit = (text: string): void => {
    edited.value = text;
    takesFocus.current = true;
  };
  const { row, column } = active.value;
  // Must run before the next key press, which belongs to the input.
  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    const cell = document.getElementById(cellId(row, column));
    const input = edited.value === undefined ? undefined : cell?.querySelector<HTMLElement>('input, select');
    moveFocus(input ?? cell);
    if (input instanceof HTMLInputElement) input.setSelectionRange(input.value.length, input.value.length);
  });
  const target = wanted.value;
  useEffect(() => {
    if (target === undefined) return;
    focus(target);
    wanted.value = undefined;
  });
  return { active, edited, page, last, focus, edit };
}

/** Returns the cell to which a key moves, possibly outside of the grid; undefined for other keys. */
export function cellAfterKey(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  { row, column }: CellPosition,
  last: CellPosition,
): CellPosition | undefined {
  const isFar = ctrlKey || metaKey;
  switch (key) {
    case 'ArrowUp':
      return { row: isFar ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: isFar ? last.row : row + 1, column };
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: isFar ? last.column : column + 1 };
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 };
    case 'End':
      return { row: isFar ? last.row : row, column: last.column };
    case 'PageUp':
      return { row: Math.max(0, row - 10), column };
    case 'PageDown':
      return { row: row + 10, column };
  }
  return undefined;
}
