/** Reads a CSV file (RFC 4180) as one object for each line after the first, by column. */
export function csvTable(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end = ''] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...lines] = rows;
  return lines
    .filter((line) => line.length === names.length)
    .map((line) => Object.fromEntries(names.map((name, at) => [name, line[at] ?? ''])));
}
