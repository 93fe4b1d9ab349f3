import type { Kysely } from 'kysely';
import { fillIndexRows, refreshIndexRows } from './read-index/fill-index-rows.ts';
import { seedLists } from './reference/seed-lists.ts';
import type { Tables } from './tables.ts';

/** After the migrations: the reference lists of this release, and what the read index is filled from. Repeatable. */
export async function seed(database: Kysely<Tables>): Promise<void> {
  await seedLists(database);
  await fillIndexRows(database);
  await refreshIndexRows(database);
}
