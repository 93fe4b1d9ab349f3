import type { Kysely } from 'kysely';

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('index_row').addColumn('fiber_diameter_count', 'double precision').execute();
}
