import { parseFilter } from '@esd/record/parse-filter';
import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import { readPlainText } from '../plain-text.ts';
import type { ReadIndex, StateSeen } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';
import { insertSnapshot, type SnapshotRow } from './snapshot.store.ts';

/** A snapshot that is asked for. */
export interface SnapshotWish {
  owner: string;
  name: string;
  description?: string | undefined;
  /** A JSON object. */
  filterJson: string;
  atLeast?: StateSeen | undefined;
}

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 4_000;

/** Keeps the newest state with a filter under a name. Throws INVALID_REQUEST, INVALID_FILTER, and what insertSnapshot throws. */
export async function createSnapshot(
  database: Kysely<Tables>,
  index: ReadIndex,
  { owner, name, description, filterJson, atLeast }: SnapshotWish,
): Promise<SnapshotRow> {
  const label = readPlainText('name', name, 1, LONGEST_NAME);
  const words =
    description === undefined ? null : readPlainText('description', description, 0, LONGEST_DESCRIPTION) || null;
  const parsed = parseFilter(filterJson);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  const { state, total } = await index.find({ filter: parsed.filter, skip: 0, limit: 1, atLeast });
  return insertSnapshot(database, {
    owner_account_id: owner,
    name: label,
    description: words,
    filter: filterJson,
    revision: state.revision,
    record_count: total,
  });
}
