import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { flatten, flattenedColumns, type FlatRow } from '@esd/record/flatten/flatten';
import { normalizedCells, normalizedColumns } from '@esd/record/flatten/normalized-columns';

/** Records as rows. */
export interface Table {
  /** In their order. */
  columns: readonly string[];
  /** A record as it is served, JSON text in UTF-8, as a row; with normalized columns it has its member `normalized`. */
  rowOf(recordJson: Uint8Array): FlatRow;
}

const withNormalized = [...flattenedColumns, ...normalizedColumns];

/** The flattened columns, and behind them those of the normalized values where they are asked for. */
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
