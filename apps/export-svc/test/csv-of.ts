import type { ExperimentData } from '@esd/record/catalog/catalog';
import { flatten, flattenedColumns } from '@esd/record/flatten/flatten';
import { csvLine } from '@esd/record/sheet/csv-line';

export function csvLineOf(recordId: number, data: ExperimentData): string {
  const row = flatten(recordId, data);
  return csvLine(flattenedColumns.map((column) => row[column]));
}

/** Returns a header line and one line per record, with ids from 1. */
export function csvOf(records: readonly ExperimentData[]): string {
  return csvLine(flattenedColumns) + records.map((data, at) => csvLineOf(at + 1, data)).join('');
}
