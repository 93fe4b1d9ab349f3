import type { DatasetHeadTable, DatasetRevisionTable, RecordRevisionTable } from './dataset-log/dataset-log.table.ts';
import type { IndexRow, IndexTermTable } from './read-index/index-row.table.ts';
import type {
  AmbiguousTextTable,
  InstabilityTable,
  MorphologyTable,
  ReferenceChangeTable,
  SubstanceTable,
  UnitTable,
} from './reference/reference.table.ts';

/** The database of dataset-svc. */
export interface Tables {
  dataset_head: DatasetHeadTable;
  dataset_revision: DatasetRevisionTable;
  record_revision: RecordRevisionTable;
  index_row: IndexRow;
  index_term: IndexTermTable;
  substance: SubstanceTable;
  unit: UnitTable;
  morphology: MorphologyTable;
  instability: InstabilityTable;
  ambiguous_text: AmbiguousTextTable;
  reference_change: ReferenceChangeTable;
}
