import type { FormattedCell } from '@esd/record/sheet/parse-cell';
import type { RepairKind, SheetFile } from '@esd/record/sheet/sheet-reading';
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
  /** The column of a heading; null leaves it out. */
  readonly columns: ReadonlyMap<string, string | null>;
  /** The unit of a heading. */
  readonly units?: ReadonlyMap<string, string> | undefined;
  /** The headings whose choice is that of an earlier sheet. */
  readonly remembered: ReadonlySet<string>;
  /** By `repairKey`. */
  readonly accepted: ReadonlyMap<string, AcceptedReading>;
  readonly replaced: readonly Replacement[];
  /** The rows that are read although they look like no experiment. */
  readonly included: ReadonlySet<number>;
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

/** Returns the sheet with a choice for a heading; null leaves the column out. */
export function withColumn(sheet: Sheet, heading: string, column: string | null): Sheet {
  const remembered = new Set(sheet.remembered);
  remembered.delete(heading);
  // The unit may not fit another field.
  const units = new Map(sheet.units);
  units.delete(heading);
  return { ...sheet, columns: new Map([...sheet.columns, [heading, column]]), units, remembered };
}

/** Returns the sheet with a unit for a heading. */
export function withUnit(sheet: Sheet, heading: string, unit: string): Sheet {
  return { ...sheet, units: new Map([...(sheet.units ?? []), [heading, unit]]) };
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

export function withRow(sheet: Sheet, number: number, isIncluded: boolean): Sheet {
  const included = new Set(sheet.included);
  if (isIncluded) included.add(number);
  else included.delete(number);
  return { ...sheet, included };
}

/**
 * Returns the sheet without rows that were sent; undefined if no experiment is left. Cells may have changed since.
 * @param before the rows of the sheet when it was sent
 */
export function withoutRows(
  sheet: Sheet,
  sent: readonly SheetRow[],
  before: readonly { readonly row: SheetRow; readonly state: string }[],
): Sheet | undefined {
  const others = new Set(before.flatMap(({ row, state }) => (state === 'left-out' ? [row] : [])));
  const body = new Set(before.map(({ row }) => row.number));
  const rows = sheet.rows.filter((row) => !sent.includes(row));
  const firstNumber = Math.min(...body);
  if (!rows.some((row) => row.number >= firstNumber && !others.has(row))) return undefined;
  const included = new Set([...sheet.included].filter((number) => rows.some((row) => row.number === number)));
  return { ...sheet, rows, included };
}
