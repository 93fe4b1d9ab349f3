import { type Kysely, sql } from 'kysely';

/**
 * Adds every DOI that a frozen release has or had. Such a DOI may be cited and never belongs to another release. A trigger writes the
 * rows, so that they are complete even if a software release without the table is running.
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
