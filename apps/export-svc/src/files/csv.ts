import type { Cell } from '@esd/record/flatten/flatten';
import { guardFormula } from '@esd/record/sheet/formula-guard';

const LINE_END = '\r\n';

/**
 * Cells as a line of RFC 4180, CRLF at its end. Booleans are `true` and `false`, numbers as JSON writes them, what is
 * absent is an empty field. Texts are guarded (see `guardFormula`), numbers are not: a negative one stays a number.
 */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(field).join(',') + LINE_END;
}

function field(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? csvField(cell) : String(cell);
}

/** A text as a field of RFC 4180, guarded (see `guardFormula`); a guarded one is quoted, whatever it holds. */
export function csvField(text: string): string {
  const guarded = guardFormula(text);
  return guarded !== text || /[",\r\n]/.test(text) ? `"${guarded.replaceAll('"', '""')}"` : text;
}
