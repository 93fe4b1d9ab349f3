import { readFileSync } from 'node:fs';

/** Reads the first columns of a seeded reference list, for instance `polymers`: one entry per line. */
export function seededNames(list: string): string[] {
  const file = new URL(`../../apps/dataset-svc/seeds/${list}.csv`, import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  // RFC 4180: a quoted field may contain commas and doubled quotes.
  return lines.map((line) => /^(?:"((?:[^"]|"")*)"|([^,]*))/.exec(line)?.slice(1).join('').replaceAll('""', '"') ?? '');
}
