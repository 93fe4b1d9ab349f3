import { type Kysely, sql } from 'kysely';

/**
 * Adds the facts of the dataset to releases; export-svc adds those of existing releases once. Adds identifiers of other vocabularies to
 * units and solvents.
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
