import type { References } from '@esd/record/reference/reference';
import { isObject } from '@esd/record/validate/read-value';
import { readHeading } from './sheet-columns.ts';
import type { Sheet } from './sheet.ts';

/** Reads the service's response for a workbook: `{rows: [{number, cells}], more}`, with the headings in the first row. */
export function readWorkbookRows(body: unknown, name: string, references: References): Sheet {
  const found = isObject(body) && Array.isArray(body['rows']) ? body['rows'].filter(isObject) : [];
  const [header, ...rows] = found.map(({ number, cells }) => ({
    number: Number(number),
    cells: Array.isArray(cells) ? cells.map((cell: unknown) => String(cell)) : [],
  }));
  return {
    name,
    columns: (header?.cells ?? []).map((heading) => readHeading(heading, references)),
    rows,
    cut: isObject(body) ? Number(body['more']) : 0,
  };
}
