import type { DeletedAccountTable } from './account/deleted-account.table.ts';
import type {
  DatasetHeadTable,
  DatasetRevisionTable,
  RecordHashTable,
  RecordRevisionTable,
  WithdrawalTable,
} from './dataset-log/dataset-log.table.ts';
import type { QueryClientTable, QueryDayTable, QueryTable } from './query/query.table.ts';
import type { IndexRow, IndexTermTable } from './read-index/index-row.table.ts';
import type { PaperLookupTable, PaperTable, ReferenceChangeTable } from './reference/reference.table.ts';
import type { SnapshotRowsTable, SnapshotTable } from './snapshot/snapshot.table.ts';
import type { ReleaseChangeTable, ReleaseDoiTable, ReleaseTable } from './release/release.table.ts';

/** The tables. `reference/entry.store.ts` has those of the reference lists of names. */
export interface Tables {
  dataset_head: DatasetHeadTable;
  dataset_revision: DatasetRevisionTable;
  record_revision: RecordRevisionTable;
  record_hash: RecordHashTable;
  withdrawal: WithdrawalTable;
  index_row: IndexRow;
  index_term: IndexTermTable;
  paper: PaperTable;
  paper_lookup: PaperLookupTable;
  reference_change: ReferenceChangeTable;
  release: ReleaseTable;
  release_doi: ReleaseDoiTable;
  release_change: ReleaseChangeTable;
  snapshot: SnapshotTable;
  snapshot_rows: SnapshotRowsTable;
  query: QueryTable;
  query_day: QueryDayTable;
  query_client: QueryClientTable;
  deleted_account: DeletedAccountTable;
}
