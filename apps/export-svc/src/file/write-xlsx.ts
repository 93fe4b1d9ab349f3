import { createWriteStream } from 'node:fs';
import { flatten, flattenedColumns } from '@esd/record/flatten';
import { parsePublicRecord } from '@esd/record/public-record';
import type { FileContents } from './file-contents.ts';
import { aboutRows, unitRows } from './about.ts';
import { DatedWorkbook, type Worksheet } from './dated-workbook.ts';
import { styleHeader } from './style-header.ts';

// https://support.microsoft.com/office/excel-specifications-and-limits: characters in a cell, rows of a sheet.
const LONGEST_CELL = 32_767;
const ROWS_A_SHEET = 1_048_576;
const CUT = ' … (cut: a cell holds no more; the json export has all of it)';

/**
 * Writes a workbook to `path`: a row a record under the flattened columns, numbers as numbers, and a last sheet that says
 * what the file is. The same contents give the same bytes. A text that is too long for a cell is cut, and says so; what a
 * sheet (of `rowsASheet` with its header) cannot take goes on in `Data 2` and so on.
 */
export async function writeXlsx(contents: FileContents, path: string, rowsASheet = ROWS_A_SHEET): Promise<void> {
  const { date } = contents.about;
  const file = createWriteStream(path);
  const failed = new Promise<never>((_, reject) => {
    file.once('error', reject);
  });
  // Whoever awaits it comes later.
  failed.catch(() => undefined);
  const workbook = new DatedWorkbook(file, date);
  let sheet = addDataSheet(workbook, 'Data');
  let sheets = 1;
  let rows = 1;
  try {
    for await (const { recordsJson } of contents.chunks) {
      for (const json of recordsJson) {
        const { recordId, data } = parsePublicRecord(Buffer.from(json).toString());
        const row = flatten(recordId, data);
        if (rows === rowsASheet) {
          sheet.commit();
          sheet = addDataSheet(workbook, `Data ${++sheets}`);
          rows = 1;
        }
        rows++;
        sheet.addRow(flattenedColumns.map((column) => cell(row[column]))).commit();
      }
      await Promise.race([workbook.taken(), failed]);
    }
    sheet.commit();
    const about = workbook.addWorksheet('About');
    about.columns = [{ width: 24 }, { width: 110 }];
    for (const [name, text] of [...aboutRows(contents.about), ...unitRows()]) {
      const row = about.addRow([name, cell(text)]);
      row.getCell(1).font = { bold: true };
      row.getCell(2).alignment = { wrapText: true, vertical: 'top' };
      row.commit();
    }
    about.commit();
    await Promise.race([workbook.commit(), failed]);
  } finally {
    file.destroy();
  }
}

function addDataSheet(workbook: DatedWorkbook, name: string): Worksheet {
  const sheet = workbook.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] });
  sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: flattenedColumns.length } };
  sheet.columns = flattenedColumns.map((column) => ({
    header: column,
    width: Math.min(Math.max(column.length + 2, 12), 32),
  }));
  styleHeader(sheet.getRow(1));
  sheet.getRow(1).commit();
  return sheet;
}

function cell<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || value.length <= LONGEST_CELL) return value;
  return value.slice(0, LONGEST_CELL - CUT.length) + CUT;
}
