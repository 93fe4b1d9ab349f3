import { type Kysely, sql } from 'kysely';

/**
 * Every DOI that a frozen version has or had: it is cited as that version, and never goes to another one. A trigger, so that it
 * holds for a release that does not know the table, too.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table version_doi (
      doi text not null,
      version_id bigint not null references version,
      primary key (doi, version_id)
    )`.execute(database);
  await sql`
    create function note_version_doi() returns trigger language plpgsql as $$
    begin
      insert into version_doi (doi, version_id) values (new.doi, new.id) on conflict do nothing;
      return null;
    end $$`.execute(database);
  await sql`
    create trigger note_version_doi after insert or update on version
    for each row when (new.state = 'FROZEN' and new.doi is not null) execute function note_version_doi()`.execute(
    database,
  );
  await sql`
    insert into version_doi (doi, version_id)
    select doi, id from version where state = 'FROZEN' and doi is not null
    union
    select change.details #>> array['before', 'doi'], version.id
    from version join version_change change on change.version_id = version.id
    where version.state = 'FROZEN' and change.action = 'describe' and change.at >= version.frozen_at
      and change.details #>> array['before', 'doi'] is not null`.execute(database);
}
