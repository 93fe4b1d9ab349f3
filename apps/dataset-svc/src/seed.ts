import type { Kysely } from 'kysely';
import { refreshIndexRows } from './read-index/refresh-index-rows.ts';
import { seedLists } from './reference/seed-lists.ts';
import type { Tables } from './tables.ts';

/** Writes what follows the migrations: the reference lists, and the rows of the read index by today's rules. Repeatable. */
export async function seed(database: Kysely<Tables>): Promise<void> {
  await seedLists(database);
  await refreshIndexRows(database);
}
