import { unguardFormula } from '@esd/record/sheet/formula-guard';
import type { FlatRow } from '@esd/record/flatten/flatten';

/**
 * Parses CSV (RFC 4180) character by character and removes formula guards. The first line contains the column names.
 */
export function csvRows(text: string): FlatRow[] {
  const lines: string[][] = [];
  let fields: string[] = [];
  let value = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') {
      for (at += 1; at < text.length && !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        value += text[at] ?? '';
        if (text[at] === '"') at += 1;
      }
    } else if (character === ',' || character === '\r') {
      fields.push(value);
      value = '';
      if (character === ',') continue;
      if (text[at + 1] !== '\n') throw new Error(`a line end without a line feed at ${at}`);
      at += 1;
      lines.push(fields);
      fields = [];
    } else {
      value += character;
    }
  }
  if (value !== '' || fields.length > 0) throw new Error('the last line has no end');
  const [header = [], ...rows] = lines;
  return rows.map((cells) => {
    if (cells.length !== header.length) throw new Error(`${cells.length} fields, expected ${header.length}`);
    return Object.fromEntries(header.map((column, i) => [column, unguardFormula(cells[i] ?? '')]));
  });
}
