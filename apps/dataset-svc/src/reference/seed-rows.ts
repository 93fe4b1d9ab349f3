export type Row = Readonly<Record<string, string>>;
export type Insert = () => Promise<unknown>;

/** Returns the text of a column. Throws if it is empty. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (!value) throw new Error(`a seed row lacks ${column}: ${JSON.stringify(row)}`);
  return value;
}

export function optional(row: Row, column: string): string | null {
  const value = row[column];
  return value === undefined || value === '' ? null : value;
}

export function optionalNumber(row: Row, column: string): number | null {
  const value = optional(row, column);
  return value === null ? null : Number(value);
}

export function parts(row: Row, column: string): string[] {
  return optional(row, column)?.split('|') ?? [];
}
