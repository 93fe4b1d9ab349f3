import { type Kysely, sql } from 'kysely';

/**
 * Adds public queries, which are never changed or deleted, and the counts of new queries by client. Clients are stored as a hash with a
 * daily salt, so that no address is stored.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table query (
      id text primary key,
      filter text not null,
      sort text,
      fields text,
      version text not null,
      revision bigint not null references dataset_revision,
      record_count bigint not null,
      digest text not null,
      row_list bytea not null,
      by_account boolean not null,
      created_at timestamptz not null default now()
    )`.execute(database);
  // The list is already compressed.
  await sql`alter table query alter column row_list set storage external`.execute(database);
  await sql`create index query_without_account on query (id) where not by_account`.execute(database);
  await sql`
    create function keep_query() returns trigger language plpgsql as $$
    begin
      raise exception 'query % cannot be changed', old.id;
    end $$`.execute(database);
  await sql`
    create trigger keep_query before update or delete on query
    for each row execute function keep_query()`.execute(database);

  await sql`
    create table query_day (
      day date primary key,
      salt bytea not null
    )`.execute(database);
  await sql`
    create table query_maker (
      day date not null references query_day on delete cascade,
      maker bytea not null,
      made integer not null,
      primary key (day, maker)
    )`.execute(database);
}
