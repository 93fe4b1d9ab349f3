import type { Filter } from '@esd/record/filter/filter';
import type { Kysely } from 'kysely';
import { readPlainText } from '../plain-text.ts';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';
import { packRowIds } from '../dataset-log/row-list.ts';
import { insertSnapshot, type SnapshotRow } from './snapshot.store.ts';

export interface SnapshotInput {
  owner: string;
  name: string;
  description?: string | undefined;
  filter: Filter;
  /** The filter as it was sent, a JSON object. */
  filterJson: string;
  atLeast?: DatasetRevision | undefined;
}

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 4_000;

/** Stores the records that match at the newest state under a name. Throws INVALID_REQUEST, CONFLICT, TOKEN_INVALID, UNAVAILABLE. */
export async function createSnapshot(
  database: Kysely<Tables>,
  index: ReadIndex,
  { owner, name, description, filter, filterJson, atLeast }: SnapshotInput,
): Promise<SnapshotRow> {
  const label = readPlainText('name', name, 1, MAX_NAME_LENGTH);
  const words =
    description === undefined ? null : readPlainText('description', description, 0, MAX_DESCRIPTION_LENGTH) || null;
  const { state, rowIds } = await index.findAll(filter, { atLeast });
  return insertSnapshot(
    database,
    {
      owner_account_id: owner,
      name: label,
      description: words,
      filter: filterJson,
      revision: state.revision,
      record_count: rowIds.length,
    },
    await packRowIds(rowIds),
  );
}
