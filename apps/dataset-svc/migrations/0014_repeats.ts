import { type Kysely, sql } from 'kysely';

/**
 * Adds the features of solvents and the key of repeated records to the read index, whose rows are derived again, and the
 * choice of a query to count repeated records once.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table index_row
      add column solvent_boiling_point double precision,
      add column solvent_dielectric_constant double precision,
      add column solvent_hansen_hydrogen double precision,
      add column repeat_key double precision`.execute(database);
  await sql`alter table query add column once boolean not null default false`.execute(database);
}
