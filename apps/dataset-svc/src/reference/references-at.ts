import { indexReferences, type References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findLists, getListsRevision } from './entry.store.ts';

/** Returns the indexed lists at a dataset revision; `cached` if they have not changed in between. */
export async function referencesAt(
  database: Kysely<Tables>,
  revision: number,
  cached?: References,
): Promise<References> {
  const at = await getListsRevision(database, revision);
  if (cached?.revision === at) return cached;
  return indexReferences({ ...(await findLists(database, at)), revision: at });
}
