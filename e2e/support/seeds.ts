import { readFileSync } from 'node:fs';

/** The first columns of a reference list as it is seeded, for instance `polymers`: one entry a line. */
export function seededNames(list: string): string[] {
  const file = new URL(`../../apps/dataset-svc/seeds/${list}.csv`, import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  // RFC 4180: a field in quotes may hold commas, and quotes twice.
  return lines.map((line) => /^(?:"((?:[^"]|"")*)"|([^,]*))/.exec(line)?.slice(1).join('').replaceAll('""', '"') ?? '');
}
