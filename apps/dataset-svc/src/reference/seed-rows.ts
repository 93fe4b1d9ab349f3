/** A row of a seed file, by column. */
export type Row = Readonly<Record<string, string>>;
/** Writes what was found to be missing. */
export type Insert = () => Promise<unknown>;

/** The text of a column. Throws for a row that lacks it. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (!value) throw new Error(`a seed row lacks ${column}: ${JSON.stringify(row)}`);
  return value;
}

/** The text of a column, null where the cell is empty. */
export function optional(row: Row, column: string): string | null {
  const value = row[column];
  return value === undefined || value === '' ? null : value;
}

/** The number of a column, null where the cell is empty. */
export function optionalNumber(row: Row, column: string): number | null {
  const value = optional(row, column);
  return value === null ? null : Number(value);
}

/** The items of a cell that holds a list. */
export function parts(row: Row, column: string): string[] {
  return optional(row, column)?.split('|') ?? [];
}
