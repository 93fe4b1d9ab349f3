import { indexReferences, type References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findLists, getListsRevision } from './reference.store.ts';

/** Returns the indexed lists at a dataset revision; `known` if they have not changed in between. */
export async function referencesAt(
  database: Kysely<Tables>,
  revision: number,
  known?: References,
): Promise<References> {
  const at = await getListsRevision(database, revision);
  if (known?.revision === at) return known;
  return indexReferences({ ...(await findLists(database, at)), revision: at });
}
