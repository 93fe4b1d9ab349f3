import { readFileSync } from 'node:fs';
import { csvRecords } from '@esd/record/sheet/csv-rows';

/** Reads the first column of a seeded reference list, for instance `polymers`. */
export function seededNames(list: string): string[] {
  const file = new URL(`../../apps/dataset-svc/seeds/${list}.csv`, import.meta.url);
  return csvRecords(readFileSync(file, 'utf8')).map((row) => Object.values(row)[0] ?? '');
}
