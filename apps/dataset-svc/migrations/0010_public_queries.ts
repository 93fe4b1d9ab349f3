import { type Kysely, sql } from 'kysely';

/**
 * Public queries, which are never changed and never deleted, and who has made new ones today: by a hash with a salt of the day,
 * so that no address is kept.
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
  // It is compressed already.
  await sql`alter table query alter column row_list set storage external`.execute(database);
  await sql`create index query_without_account on query (id) where not by_account`.execute(database);
  await sql`
    create function keep_query() returns trigger language plpgsql as $$
    begin
      raise exception 'query % is kept as it is', old.id;
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
