import type { ExperimentData } from '@esd/record/catalog/catalog';
import { flatten, flattenedColumns } from '@esd/record/flatten/flatten';
import { csvLine } from '../src/files/csv.ts';

/** The line of a record. */
export function csvLineOf(recordId: number, data: ExperimentData): string {
  const row = flatten(recordId, data);
  return csvLine(flattenedColumns.map((column) => row[column]));
}

/** A header line, and one for each record, with ids from 1 on. */
export function csvOf(records: readonly ExperimentData[]): string {
  return csvLine(flattenedColumns) + records.map((data, at) => csvLineOf(at + 1, data)).join('');
}
