import type { FileHash } from '@esd/object-store/file-hash';
import type { FileContents } from './file-contents.ts';
import { aboutRows, unitRows } from './about.ts';
import { DatedWorkbook, type Worksheet } from './dated-workbook.ts';
import { createHashedFile } from './hashed-file.ts';
import { styleHeader } from './style-header.ts';
import { tableOf } from './table.ts';

// The limits of Excel: https://support.microsoft.com/office/excel-specifications-and-limits.
const MAX_CELL_LENGTH = 32_767;
const MAX_SHEET_ROWS = 1_048_576;
const CUT = ' … (truncated to the maximum length of a cell; the json export contains the complete text)';

/**
 * Writes a workbook to `path`. The same contents produce the same bytes. The last sheet contains the metadata. Texts
 * that are too long for a cell are truncated and marked. If a sheet has `maxRows` rows, including the header, the
 * records continue in the sheet `Data 2` and so on.
 */
export async function writeXlsx(contents: FileContents, path: string, maxRows = MAX_SHEET_ROWS): Promise<FileHash> {
  const { date, count } = contents.about;
  const { columns: names, rowOf } = tableOf(contents);
  const file = createHashedFile(path);
  const failed = new Promise<never>((_, reject) => {
    file.stream.once('error', reject);
  });
  failed.catch(() => undefined);
  const workbook = new DatedWorkbook(file.stream, date);
  let left = count;
  const nextSheet = (name: string): Worksheet => {
    const records = Math.min(left, maxRows - 1);
    left -= records;
    return addDataSheet(workbook, name, names, records + 1);
  };
  let sheet = nextSheet('Data');
  let sheets = 1;
  let rows = 1;
  try {
    for await (const { recordsJson } of contents.chunks) {
      for (const json of recordsJson) {
        const row = rowOf(json);
        if (rows === maxRows) {
          sheet.commit();
          sheet = nextSheet(`Data ${++sheets}`);
          rows = 1;
        }
        rows++;
        sheet.addRow(names.map((column) => cell(row[column]))).commit();
      }
      await Promise.race([workbook.taken(), failed]);
    }
    sheet.commit();
    const lines = [...aboutRows(contents.about), ...unitRows(contents.normalized)];
    const about = workbook.addSheet('About', { columns: 2, rows: lines.length });
    about.columns = [{ width: 24 }, { width: 110 }];
    for (const [name, text] of lines) {
      const row = about.addRow([name, cell(text)]);
      row.getCell(1).font = { bold: true };
      row.getCell(2).alignment = { wrapText: true, vertical: 'top' };
      row.commit();
    }
    about.commit();
    await Promise.race([workbook.commit(), failed]);
    return await file.written();
  } finally {
    file.stream.destroy();
  }
}

function addDataSheet(workbook: DatedWorkbook, name: string, columns: readonly string[], rows: number): Worksheet {
  const size = { columns: columns.length, rows };
  const sheet = workbook.addSheet(name, size, { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: columns.length } };
  sheet.columns = columns.map((column) => ({
    header: column,
    width: Math.min(Math.max(column.length + 2, 12), 32),
  }));
  styleHeader(sheet.getRow(1));
  sheet.getRow(1).commit();
  return sheet;
}

function cell<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || value.length <= MAX_CELL_LENGTH) return value;
  return value.slice(0, MAX_CELL_LENGTH - CUT.length) + CUT;
}
