import { decodeText, openText } from '@esd/record/sheet/decode-text';
import type { MergedRange, SheetGrid, TableRow } from '@esd/record/sheet/sheet-grid';
import type { SheetFile } from '@esd/record/sheet/sheet-reading';
import { MAX_RECORDS } from '@esd/record/submission-size';
import { ServiceError } from '@esd/service/errors';
import { openWorkbook } from './open-workbook.ts';
import { type HiddenColumns, openSheets, type SheetItems } from './read-sheet.ts';
import { unreadableFile } from './unreadable-file.ts';

/** Titles and a row of units can precede the records; one row more shows that a sheet is too long. */
export const MAX_ROWS = MAX_RECORDS + 22;
const MAX_MERGED = 10_000;
const MAX_HIDDEN = 1_000;

/** A sheet that is read on iteration, with its file. */
export interface FileSheet {
  readonly file: SheetFile;
  readonly items: SheetItems | Iterable<TableRow>;
}

const ARCHIVE = Buffer.from('PK\x03\x04', 'latin1');
/** The first bytes of a compound file: a workbook of Excel 97 to 2003, or an encrypted workbook. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/**
 * Opens the visible sheets of a workbook (xlsx), or a text (CSV) as one sheet. The first bytes identify a workbook.
 * Throws UNSUPPORTED_MEDIA_TYPE for any other file, INVALID_REQUEST for an empty one, and the errors of `openWorkbook`.
 *
 * @param hasNames whether the first line has the names of columns; such a text must be in UTF-8
 */
export async function openFile(bytes: Buffer, hasNames: boolean): Promise<readonly [FileSheet, ...FileSheet[]]> {
  if (bytes.length === 0) throw new ServiceError('INVALID_REQUEST', 'The file is empty.');
  if (bytes.subarray(0, 4).equals(COMPOUND)) {
    throw unsupported('This is an Excel 97-2003 workbook (.xls) or a password-protected workbook');
  }
  if (bytes.subarray(0, 4).equals(ARCHIVE)) {
    const [first, ...others] = await openSheets(await openWorkbook(bytes), !hasNames);
    const sheets = [first, ...others].map(({ name }) => name);
    const inFile = ({ name, items }: typeof first) => ({ file: { kind: 'xlsx', sheet: name, sheets }, items }) as const;
    return [inFile(first), ...others.map(inFile)];
  }
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw unsupported('This is neither a workbook nor text');
  const { text, encoding } = decoded;
  if (hasNames && encoding !== 'utf-8') {
    throw unsupported(encoding === 'utf-16' ? 'The text is in UTF-16' : 'This is neither a workbook nor text in UTF-8');
  }
  const { separator, rows } = openText(text, hasNames);
  return [{ file: { kind: 'csv', sheet: null, sheets: [], encoding, separator }, items: rows }];
}

/**
 * Collects at most 1,022 filled rows of a sheet, and its merged cells. Stops after them unless further rows are counted.
 * Throws INVALID_REQUEST beyond 10,000 merged ranges or 1,000 ranges of hidden columns.
 */
export async function readRows(
  { items }: FileSheet,
  countsRows = false,
): Promise<{ readonly grid: SheetGrid; readonly more: number }> {
  const rows: TableRow[] = [];
  const merged: MergedRange[] = [];
  const hidden: HiddenColumns[] = [];
  let more = 0;
  for await (const item of items) {
    if ('hiddenFrom' in item) {
      if (hidden.push(item) > MAX_HIDDEN)
        throw unreadableFile(`it has more than ${MAX_HIDDEN} ranges of hidden columns.`);
    } else if (!('cells' in item)) {
      if (merged.push(item) > MAX_MERGED)
        throw unreadableFile(`it has more than ${MAX_MERGED} ranges of merged cells.`);
    } else if (item.cells.size > 0) {
      if (rows.length < MAX_ROWS) rows.push(item);
      else if (countsRows) more += 1;
      else break;
    }
  }
  const used = new Set<number>();
  if (hidden.length > 0) for (const { cells } of rows) for (const at of cells.keys()) used.add(at);
  const isHidden = (at: number) => hidden.some(({ hiddenFrom, hiddenTo }) => at >= hiddenFrom && at <= hiddenTo);
  return { grid: { rows, merged, hiddenColumns: new Set([...used].filter(isHidden)) }, more };
}

function unsupported(what: string): ServiceError {
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `${what}; save it as an Excel workbook (.xlsx) or as CSV in UTF-8.`,
  );
}
