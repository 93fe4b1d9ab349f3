import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { flatten, flattenedColumns, type FlatRow } from '@esd/record/flatten/flatten';
import { normalizedCells, normalizedColumns } from '@esd/record/flatten/normalized-columns';

export interface Table {
  columns: readonly string[];
  /** Returns the row of a record. `recordJson`: the public record as JSON in UTF-8. */
  rowOf(recordJson: Uint8Array): FlatRow;
}

const withNormalized = [...flattenedColumns, ...normalizedColumns];

export function tableOf({ normalized = false }: { normalized?: boolean | undefined }): Table {
  return {
    columns: normalized ? withNormalized : flattenedColumns,
    rowOf: (recordJson) => {
      const { recordId, data } = parsePublicRecord(Buffer.from(recordJson).toString());
      const row = flatten(recordId, data);
      return normalized ? { ...row, ...normalizedCells(data) } : row;
    },
  };
}
