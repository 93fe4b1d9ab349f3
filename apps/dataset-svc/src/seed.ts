import type { Kysely } from 'kysely';
import { refreshIndexRows } from './read-index/refresh-index-rows.ts';
import { seedLists } from './reference/seed-lists.ts';
import type { Tables } from './tables.ts';

/** Seeds the reference lists and derives outdated rows of the read index again. Idempotent. */
export async function seed(database: Kysely<Tables>): Promise<void> {
  await seedLists(database);
  await refreshIndexRows(database);
}
