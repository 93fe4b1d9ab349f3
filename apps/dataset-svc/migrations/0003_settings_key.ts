import type { Kysely } from 'kysely';

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('index_row').addColumn('settings_key', 'double precision').execute();
}
