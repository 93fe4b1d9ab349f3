import type { ListName } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export interface ChangesQuery {
  list?: ListName | 'papers' | undefined;
  entryId?: number | undefined;
  skip: number;
  limit: number;
}

/** Returns a page of the changes to the lists, newest first, with the total number. */
export async function listChanges(database: Kysely<Tables>, { list, entryId, skip, limit }: ChangesQuery) {
  let matching = database.selectFrom('reference_change');
  if (list !== undefined) matching = matching.where('list', '=', list);
  if (entryId !== undefined) matching = matching.where('entry_id', '=', entryId);
  const { total } = await matching.select((on) => on.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching.selectAll().orderBy('id', 'desc').offset(skip).limit(limit).execute();
  return { rows, total };
}
