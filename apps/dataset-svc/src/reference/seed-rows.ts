/** A row of a seed file, by column. */
export type Row = Readonly<Record<string, string>>;
/** A statement that writes missing rows. */
export type Insert = () => Promise<unknown>;

/** Returns the text of a column. Throws if it is empty. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (!value) throw new Error(`a seed row lacks ${column}: ${JSON.stringify(row)}`);
  return value;
}

/** Returns the text of a column; null for an empty cell. */
export function optional(row: Row, column: string): string | null {
  const value = row[column];
  return value === undefined || value === '' ? null : value;
}

/** Returns the number of a column; null for an empty cell. */
export function optionalNumber(row: Row, column: string): number | null {
  const value = optional(row, column);
  return value === null ? null : Number(value);
}

/** Returns the items of a cell with a list. */
export function parts(row: Row, column: string): string[] {
  return optional(row, column)?.split('|') ?? [];
}
