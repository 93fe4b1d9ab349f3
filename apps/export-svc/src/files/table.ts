import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import { columnTypes, flatten, type FlatRow } from '@esd/record/flatten/flatten';
import { normalizedCells, normalizedColumns } from '@esd/record/flatten/normalized-columns';

/** What a cell of a column holds; JSON is text too. */
export type ColumnType = 'integer' | 'number' | 'boolean' | 'text';

/** Records as rows. */
export interface Table {
  /** Each column with what its cells hold, in their order. */
  columns: ReadonlyMap<string, ColumnType>;
  /** A record as it is served, JSON text in UTF-8, as a row; with normalized columns it has its member `normalized`. */
  rowOf(recordJson: Uint8Array): FlatRow;
}

const withNormalized: Table['columns'] = new Map([
  ...columnTypes,
  ...normalizedColumns.map((column) => [column, 'number'] as const),
]);

/** The flattened columns, and behind them those of the normalized values where they are asked for. */
export function tableOf({ normalized = false }: { normalized?: boolean | undefined }): Table {
  return {
    columns: normalized ? withNormalized : columnTypes,
    rowOf: (recordJson) => {
      const { recordId, data } = parsePublicRecord(Buffer.from(recordJson).toString());
      const row = flatten(recordId, data);
      return normalized ? { ...row, ...normalizedCells(data) } : row;
    },
  };
}
