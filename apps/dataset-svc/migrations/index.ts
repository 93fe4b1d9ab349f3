import type { Migrations } from '@esd/service/database/migrate';
import * as datasetLog from './0001_dataset_log.ts';
import * as referenceLists from './0002_reference_lists.ts';
import * as readIndex from './0003_read_index.ts';
import * as referenceChanges from './0004_reference_changes.ts';
import * as versions from './0005_versions.ts';
import * as snapshotRows from './0006_snapshot_rows.ts';
import * as indexRowRules from './0007_index_row_rules.ts';
import * as versionDois from './0008_version_dois.ts';
import * as recordHash from './0009_record_hash.ts';
import * as publicQueries from './0010_public_queries.ts';
import * as findable from './0011_findable.ts';
import * as withdrawals from './0012_withdrawals.ts';
import * as releases from './0013_releases.ts';
import * as repeats from './0014_repeats.ts';
import * as papers from './0015_papers.ts';
import * as rowsWithImages from './0016_rows_with_images.ts';

export const migrations: Migrations = {
  '0001_dataset_log': datasetLog,
  '0002_reference_lists': referenceLists,
  '0003_read_index': readIndex,
  '0004_reference_changes': referenceChanges,
  '0005_versions': versions,
  '0006_snapshot_rows': snapshotRows,
  '0007_index_row_rules': indexRowRules,
  '0008_version_dois': versionDois,
  '0009_record_hash': recordHash,
  '0010_public_queries': publicQueries,
  '0011_findable': findable,
  '0012_withdrawals': withdrawals,
  '0013_releases': releases,
  '0014_repeats': repeats,
  '0015_papers': papers,
  '0016_rows_with_images': rowsWithImages,
};
