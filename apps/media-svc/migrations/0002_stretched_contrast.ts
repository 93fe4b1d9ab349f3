import type { Kysely } from 'kysely';

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  // Whether the contrast of the smaller sizes of an image is stretched.
  await schema
    .alterTable('blob')
    .addColumn('stretched', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
}
