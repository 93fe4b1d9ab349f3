/** Rows as CSV (RFC 4180). A text that a spreadsheet would compute gets an apostrophe before it. */
export function csvText(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
