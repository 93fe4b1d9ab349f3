import type { FormattedCell } from '@esd/record/sheet/parse-cell';
import type { RepairKind, SheetFile, SheetReading } from '@esd/record/sheet/sheet-reading';
import type { MergedRange } from '@esd/record/sheet/sheet-grid';

/** A cell as written. A workbook also has other types; an unreadable cell begins with `#VALUE!`. */
export type SheetCell = string | number | boolean | FormattedCell;

export interface SheetRow {
  readonly number: number;
  /** By column index; absent cells are empty. */
  readonly cells: readonly SheetCell[];
  readonly isHidden?: boolean | undefined;
}

/** The chosen reading of the cells of a column. */
export interface AcceptedReading {
  readonly kind: RepairKind;
  /** The letters of the column. */
  readonly at: string;
  readonly choice: string;
  readonly choices: readonly string[];
}

/** A text that a name from the reference lists replaced in the cells of a column. */
export interface Replacement {
  /** The index of the column. */
  readonly column: number;
  readonly before: string;
  readonly after: string;
  /** The numbers of the rows. */
  readonly rows: readonly number[];
}

/** The rows and merged cells of a file, or those of the clipboard. */
export interface SheetSource {
  readonly name: string;
  readonly file: SheetFile;
  /** All filled rows, with titles and headings. */
  readonly rows: readonly SheetRow[];
  readonly merged: readonly MergedRange[];
  readonly hiddenColumns?: ReadonlySet<number> | undefined;
}

/** A sheet with the choices of the user. Each experiment is a row. */
export interface Sheet extends SheetSource {
  /** Whether the experiments are columns of the file. */
  readonly isTransposed: boolean;
  /** Whether rows beyond the limit were not read. */
  readonly isCut: boolean;
  /** The field of a column such as `@C`; null leaves it out. */
  readonly columns: ReadonlyMap<string, string | null>;
  /** The unit of a column such as `@C`. */
  readonly units?: ReadonlyMap<string, string> | undefined;
  /** The columns whose choice is that of an earlier sheet. */
  readonly remembered: ReadonlySet<string>;
  /** By `repairKey`. */
  readonly accepted: ReadonlyMap<string, AcceptedReading>;
  readonly replaced: readonly Replacement[];
  /** The rows that are read although they look like no experiment. */
  readonly included: ReadonlySet<number>;
  /** The rows that the user left out; absent without any. */
  readonly excluded?: ReadonlySet<number>;
  /** The number of the heading row; the reader finds it by default. */
  readonly headingRow?: number | undefined;
  /** The table that the page shows, from 1; by default the first one. */
  readonly table?: number | undefined;
}

/** A workbook whose other sheets can be read until the page is closed. */
export interface OpenWorkbook {
  readonly file: File;
  /** The names of its visible sheets. */
  readonly sheets: readonly string[];
  /** The name of the sheet that the page shows, if it shows one. */
  readonly shown: string | undefined;
  /** The sheets that the page showed before, with their corrections. */
  readonly others: ReadonlyMap<string, Sheet>;
}

/** Returns the sheet with texts in the cells at and below a position. Numbers of rows that do not exist are added. */
export function withTexts(
  sheet: Sheet,
  rowNumbers: readonly number[],
  columns: readonly number[],
  texts: readonly (readonly SheetCell[])[],
): Sheet {
  const changed = new Map(rowNumbers.map((number, at) => [number, texts[at] ?? []]));
  const replace = (row: SheetRow): SheetRow => {
    const given = changed.get(row.number);
    if (given === undefined) return row;
    changed.delete(row.number);
    const cells = [...row.cells];
    for (const [at, column] of columns.entries()) {
      const text = given[at];
      if (text === undefined) continue;
      while (cells.length < column) cells.push('');
      cells[column] = text;
    }
    return { ...row, cells };
  };
  const rows = sheet.rows.map(replace);
  for (const number of [...changed.keys()]) rows.push(replace({ number, cells: [] }));
  return { ...sheet, rows };
}

/** Returns the sheet with a field for the column with the letters `at`; null leaves the column out. */
export function withColumn(sheet: Sheet, at: string, field: string | null): Sheet {
  const remembered = new Set(sheet.remembered);
  remembered.delete(`@${at}`);
  // The unit may not fit another field.
  const units = new Map(sheet.units);
  units.delete(`@${at}`);
  return { ...sheet, columns: new Map([...sheet.columns, [`@${at}`, field]]), units, remembered };
}

/** Returns the sheet with a unit for the column with the letters `at`. */
export function withUnit(sheet: Sheet, at: string, unit: string): Sheet {
  return { ...sheet, units: new Map([...(sheet.units ?? []), [`@${at}`, unit]]) };
}

/** Returns the sheet with another heading row or table, and without the choices for the columns of the shown one. */
export function withTable(sheet: Sheet, place: Pick<Sheet, 'headingRow' | 'table'>): Sheet {
  const { headingRow = 0 } = place;
  const below = (rows: Iterable<number>): Set<number> => new Set([...rows].filter((number) => number > headingRow));
  return {
    ...sheet,
    ...place,
    columns: new Map(),
    units: undefined,
    remembered: new Set(),
    accepted: new Map(),
    included: below(sheet.included),
    excluded: below(sheet.excluded ?? []),
  };
}

/** Returns the sheet with a chosen reading, or without it if the choice is undefined. */
export function withAccepted(
  sheet: Sheet,
  key: string,
  reading: Omit<AcceptedReading, 'choice'>,
  choice: string | undefined,
): Sheet {
  const accepted = new Map(sheet.accepted);
  if (choice === undefined) accepted.delete(key);
  else accepted.set(key, { ...reading, choice });
  return { ...sheet, accepted };
}

/** Returns the sheet with another text in the cells of a column that have the same text. */
export function withReplacement(sheet: Sheet, { column, before, after, rows }: Replacement): Sheet {
  const cells = rows.map(() => [after]);
  return {
    ...withTexts(sheet, rows, [column], cells),
    replaced: [...sheet.replaced, { column, before, after, rows }],
  };
}

/** Returns the numbers of the rows that still have the text of a replacement. */
export function replacedRows({ rows }: Sheet, { column, after, rows: numbers }: Replacement): number[] {
  return rows.flatMap(({ number, cells }) => (numbers.includes(number) && cells[column] === after ? [number] : []));
}

/** Returns the sheet with the text as written in the cells that still have the text of a replacement. */
export function withoutReplacement(sheet: Sheet, replacement: Replacement): Sheet {
  const rows = replacedRows(sheet, replacement);
  const texts = rows.map(() => [replacement.before]);
  return {
    ...withTexts(sheet, rows, [replacement.column], texts),
    replaced: sheet.replaced.filter((other) => other !== replacement),
  };
}

/** Returns the sheet with all tables as one: the heading rows of the others are read as experiments. */
export function joinTables(sheet: Sheet, [, ...others]: SheetReading['tables']): Sheet {
  const included = new Set([...sheet.included, ...others.map(({ headingRow }) => headingRow)]);
  return withTable({ ...sheet, included }, { headingRow: sheet.headingRow, table: undefined });
}

/** Returns the sheet with a row that is read, or left out. */
export function withRow(sheet: Sheet, number: number, isRead: boolean): Sheet {
  const included = new Set(sheet.included);
  const excluded = new Set(sheet.excluded);
  const [chosen, other] = isRead ? [included, excluded] : [excluded, included];
  if (!other.delete(number)) chosen.add(number);
  return { ...sheet, included, excluded };
}

/**
 * Returns the sheet without rows that were sent. If no experiment of their table is left, returns the sheet with the next
 * table, or undefined after the last one. Cells may have changed since.
 * @param before the reading of the sheet when the rows were sent
 */
export function withoutRows(
  sheet: Sheet,
  sent: readonly SheetRow[],
  {
    rows: before,
    reading: { headingRow, tables },
  }: {
    readonly rows: readonly { readonly row: SheetRow; readonly state: string }[];
    readonly reading: Pick<SheetReading, 'headingRow' | 'tables'>;
  },
): Sheet | undefined {
  const leftOut = new Set(before.flatMap(({ row, state }) => (state === 'left-out' ? [row] : [])));
  const position = tables.findIndex((table) => table.headingRow === headingRow);
  const end = tables[position + 1]?.headingRow ?? Infinity;
  const isOwn = ({ number }: SheetRow): boolean => number >= headingRow && number < end;
  const rows = sheet.rows.filter((row) => !sent.includes(row));
  const firstNumber = Math.min(...before.map(({ row }) => row.number));
  if (rows.some((row) => isOwn(row) && row.number >= firstNumber && !leftOut.has(row))) return withRows(sheet, rows);
  const others = tables.filter((_, at) => at !== position);
  const table = Math.min(position + 1, others.length);
  const rest = withRows(
    sheet,
    rows.filter((row) => !isOwn(row)),
  );
  return table === 0 ? undefined : withTable(rest, { headingRow: others[0]?.headingRow, table });
}

/** Returns the sheet with some of its rows. */
function withRows(sheet: Sheet, rows: readonly SheetRow[]): Sheet {
  const numbers = new Set(rows.map(({ number }) => number));
  const among = (chosen: Iterable<number>): Set<number> => new Set([...chosen].filter((number) => numbers.has(number)));
  return { ...sheet, rows, included: among(sheet.included), excluded: among(sheet.excluded ?? []) };
}
