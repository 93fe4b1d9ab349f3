import { type Kysely, sql } from 'kysely';

/** Renames the tables of versions to releases. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`drop trigger keep_frozen_version on version`.execute(database);
  await sql`drop function keep_frozen_version`.execute(database);
  await sql`drop trigger note_version_doi on version`.execute(database);
  await sql`drop function note_version_doi`.execute(database);
  await sql`alter table version rename to release`.execute(database);
  await sql`alter table version_change rename to release_change`.execute(database);
  await sql`alter table release_change rename column version_id to release_id`.execute(database);
  await sql`alter index version_change_version rename to release_change_release`.execute(database);
  await sql`alter table version_doi rename to release_doi`.execute(database);
  await sql`alter table release_doi rename column version_id to release_id`.execute(database);
  await sql`
    create function protect_frozen_release() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' or
        (new.id, new.identifier, new.state, new.job_id, new.revision, new.record_count, new.created_at, new.frozen_at,
         new.digest, new.files) is distinct from
        (old.id, old.identifier, old.state, old.job_id, old.revision, old.record_count, old.created_at, old.frozen_at,
         old.digest, old.files)
      then
        raise exception 'release % is frozen', old.identifier;
      end if;
      return new;
    end $$`.execute(database);
  await sql`
    create trigger protect_frozen_release before update or delete on release
    for each row when (old.state = 'FROZEN') execute function protect_frozen_release()`.execute(database);
  await sql`
    create function record_release_doi() returns trigger language plpgsql as $$
    begin
      insert into release_doi (doi, release_id) values (new.doi, new.id) on conflict do nothing;
      return null;
    end $$`.execute(database);
  await sql`
    create trigger record_release_doi after insert or update on release
    for each row when (new.state = 'FROZEN' and new.doi is not null) execute function record_release_doi()`.execute(
    database,
  );
}
