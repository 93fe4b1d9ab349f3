import { indexReferences, type References } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findLists, getListsRevision } from './reference.store.ts';

/**
 * The lists as they were at a dataset revision, ready for look-ups. `held` are lists that may still be the right ones:
 * they are given back when nothing has changed between.
 */
export async function referencesAt(database: Kysely<Tables>, revision: number, held?: References): Promise<References> {
  // Lists are those of every later dataset revision too, until the next change.
  const at = await getListsRevision(database, revision);
  if (held?.revision === at) return held;
  return indexReferences({ ...(await findLists(database, at)), revision: at });
}
