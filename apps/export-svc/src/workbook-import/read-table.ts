import type { TableRow } from '@esd/record/sheet/parse-table';
import { ServiceError } from '@esd/service/errors';
import { csvRows } from '@esd/record/sheet/csv-rows';
import { decodeText, separatorOfNames } from '@esd/record/sheet/decode-text';
import { openWorkbook } from './open-workbook.ts';
import { type MergedCells, openSheets } from './read-sheet.ts';

/** A table of a workbook or a CSV file. The latter has no name. */
export interface Table {
  readonly name?: string;
  readonly items: AsyncIterable<TableRow | MergedCells> | Iterable<TableRow>;
}

const ARCHIVE = Buffer.from('PK\x03\x04', 'latin1');
/** The first bytes of a compound file: a workbook of Excel 97 to 2003, or an encrypted workbook. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/**
 * Opens the table in a file, which its first bytes identify as a workbook (xlsx) or text (CSV in UTF-8). Throws
 * UNSUPPORTED_MEDIA_TYPE for any other file, and the errors of `openWorkbook`.
 */
export async function readTable(bytes: Buffer): Promise<Table> {
  if (isWorkbook(bytes)) return (await openSheets(await openWorkbook(bytes)))[0];
  const text = textOf(bytes);
  return { items: csvRows(text, separatorOfNames(text)) };
}

/** Returns whether a file is a workbook, by its first bytes. Throws INVALID_REQUEST or UNSUPPORTED_MEDIA_TYPE. */
export function isWorkbook(bytes: Buffer): boolean {
  if (bytes.length === 0) throw new ServiceError('INVALID_REQUEST', 'The file is empty.');
  if (bytes.subarray(0, 4).equals(COMPOUND)) {
    throw unsupported('This is an Excel 97-2003 workbook (.xls) or a password-protected workbook');
  }
  return bytes.subarray(0, 4).equals(ARCHIVE);
}

function textOf(bytes: Buffer): string {
  const decoded = decodeText(bytes);
  switch (decoded?.encoding) {
    case 'utf-8':
      return decoded.text;
    case 'utf-16':
      throw unsupported('The text is in UTF-16');
    case 'windows-1252':
      throw unsupported('This is neither a workbook nor text in UTF-8');
    default:
      throw unsupported('This is neither a workbook nor text');
  }
}

export function unsupported(what: string): ServiceError {
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `${what}; save it as an Excel workbook (.xlsx) or as CSV in UTF-8.`,
  );
}
