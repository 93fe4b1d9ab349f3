import type { ParsedItem } from '@esd/record/sheet/parse-row';
import { openTable, type TableRow } from '@esd/record/sheet/parse-table';
import { ProblemList } from '@esd/record/validate/problems';
import type { References } from '@esd/record/reference/reference';
import { MAX_RECORDS } from '@esd/record/validate/validate-submission';
import { cellAddress } from '@esd/record/sheet/cell-address';
import { JsonParts } from './json-parts.ts';
import type { MergedCells } from './read-sheet.ts';
import type { Table } from './read-table.ts';

/**
 * Returns the records as a JSON array, which is valid only if there are no problems. Throws PAYLOAD_TOO_LARGE beyond
 * the maximum size of a submission.
 */
export async function importTable(
  { name, items }: Table,
  references: References,
): Promise<{ json: Buffer; problems: ProblemList }> {
  const problems = new ProblemList();
  const cellName = (row: number, column?: number): string => cellAddress(name, row, column);
  const parts = { references, problems, cellName };
  let readRow: ((row: TableRow) => ParsedItem | undefined) | undefined;
  const json = new JsonParts();
  let records = 0;
  let rows = 0;
  for await (const item of items) {
    if ('cells' in item && item.cells.size === 0) continue;
    if ('merged' in item) {
      addMerged(problems, name, item);
      continue;
    }
    if (!readRow) {
      readRow = openTable(item, parts);
      continue;
    }
    if (rows === MAX_RECORDS) {
      const message = () =>
        `A file can contain at most ${MAX_RECORDS} records; move this row and all rows below it to another file.`;
      problems.add(cellName(item.number), 'TOO_MANY_RECORDS', message);
      break;
    }
    rows += 1;
    const record = readRow(item);
    if (record === undefined) continue;
    json.add(`${records === 0 ? '[' : ',\n'}${JSON.stringify(record)}`, `The records up to row ${item.number} exceed`);
    records += 1;
  }
  if (rows === 0 && problems.count === 0) {
    const message = () => 'The sheet has no records: the first row names the columns, and each row below is a record.';
    problems.add(cellName(1), 'MISSING_VALUE', message);
  }
  return { json: json.whole(records === 0 ? '[]' : ']'), problems };
}

export function addMerged(problems: ProblemList, sheet: string | undefined, { merged }: MergedCells): void {
  const message = () => 'Merged cells are not supported; unmerge them and fill each cell.';
  const row = cellAddress(sheet, 1);
  problems.add(merged === '' ? row : row.replace('1:1', merged), 'INVALID_FORMAT', message);
}
