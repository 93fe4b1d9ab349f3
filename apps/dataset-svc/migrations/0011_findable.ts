import { type Kysely, sql } from 'kysely';

/**
 * Releases keep what was said of the dataset when they were frozen; those from before have nothing yet, and export-svc, which
 * knows it, adds it once. Units and solvents get identifiers of other vocabularies.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table version add column facts jsonb`.execute(database);
  await sql`alter table version_change drop constraint version_change_action_check`.execute(database);
  await sql`
    alter table version_change add constraint version_change_action_check
    check (action in ('reserve', 'freeze', 'fail', 'describe', 'facts'))`.execute(database);
  await sql`alter table unit add column ucum_code text, add column qudt_uri text`.execute(database);
  await sql`alter table substance add column inchi_key text, add column pubchem_cid bigint`.execute(database);
}
