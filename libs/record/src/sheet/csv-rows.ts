import { unguardFormula } from './formula-guard.ts';
import type { TableRow } from './sheet-grid.ts';
import { MAX_RECORD_BYTES } from '../submission-size.ts';
import { RowCells } from './row-cells.ts';
import type { Separator } from './sheet-reading.ts';
import { cellText } from './unreadable-cell.ts';
import { UnreadableSheet } from './unreadable-sheet.ts';

const MAX_ROWS = 100_000;
const MAX_COLUMNS = 1_000;
/** Maximum characters of a quoted field: a whole record as JSON, each quote doubled. */
const MAX_FIELD_LENGTH = 2 * MAX_RECORD_BYTES;

/**
 * Yields the rows of a CSV text (RFC 4180), including empty ones, numbered as in a spreadsheet. Removes formula guards.
 * Throws UnreadableSheet.
 */
export function* csvRows(text: string, separator: Separator): Generator<TableRow> {
  const special = new RegExp(`[${separator}\r\n]`, 'g');
  // Spreadsheets copy a ditto mark without quotes around it: two of them side by side are no quoted tab.
  const isDitto = (at: number): boolean => separator === '\t' && /^"[\t\r\n]?$/.test(text.slice(at, at + 2));
  let cells = new RowCells();
  let column = 0;
  let row = 1;
  for (let at = 0; at < text.length;) {
    let value = '';
    if (text[at] === '"' && !isDitto(at)) {
      const end = closingQuote(text, at, row);
      value = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
      if (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
        throw new UnreadableSheet(`row ${row} has text after a closing quote.`);
      }
    } else {
      special.lastIndex = at;
      const end = special.exec(text)?.index ?? text.length;
      value = text.slice(at, end);
      at = end;
    }
    if (value !== '') cells.set(column, unguardFormula(value));
    column += 1;
    if (column > MAX_COLUMNS) throw new UnreadableSheet(`row ${row} has more than ${MAX_COLUMNS} columns.`);
    if (text[at] === separator) {
      at += 1;
      // A separator at the end of the text adds no cell.
      continue;
    }
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    yield { number: row, cells };
    cells = new RowCells();
    column = 0;
    row += 1;
    if (row > MAX_ROWS) throw new UnreadableSheet(`it has more than ${MAX_ROWS} rows.`);
  }
  if (cells.size > 0) yield { number: row, cells };
}

/** Returns the rows below the headings of a text with commas, by heading; throws the errors of `csvRows`. */
export function csvRecords(text: string): Record<string, string>[] {
  const [headings, ...rows] = csvRows(text, ',');
  const columns = [...(headings?.cells ?? [])].map(([at, heading]) => [at, cellText(heading)] as const);
  return rows.map(({ cells }) =>
    Object.fromEntries(columns.map(([at, heading]) => [heading, cellText(cells.get(at) ?? '')])),
  );
}

function closingQuote(text: string, opening: number, row: number): number {
  let end = text.indexOf('"', opening + 1);
  while (end >= 0 && text[end + 1] === '"' && end - opening < MAX_FIELD_LENGTH) end = text.indexOf('"', end + 2);
  if (end - opening >= MAX_FIELD_LENGTH)
    throw new UnreadableSheet(`row ${row} has a field longer than the maximum record.`);
  if (end < 0) throw new UnreadableSheet(`row ${row} has a quote that is not closed.`);
  return end;
}
