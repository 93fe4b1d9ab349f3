import type { Cell } from '../flatten/flatten.ts';
import { guardFormula } from './formula-guard.ts';

const LINE_END = '\r\n';

/** Returns a CSV line (RFC 4180) with CRLF. Texts are guarded (see `guardFormula`); numbers are not. */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(field).join(',') + LINE_END;
}

function field(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? csvField(cell) : String(cell);
}

/** Returns a CSV field (RFC 4180). A guarded text (see `guardFormula`) is always quoted. */
export function csvField(text: string): string {
  const guarded = guardFormula(text);
  return guarded !== text || /[",\r\n]/.test(text) ? `"${guarded.replaceAll('"', '""')}"` : text;
}
