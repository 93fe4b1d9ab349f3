import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Daily sums, without single requests or addresses. `version` is `latest` or the identifier of a release, `use` is
  // `view`
  // or the format of a file.
  await sql`
    create table usage_day (
      day date not null,
      version text not null,
      use text not null,
      count bigint not null,
      primary key (day, version, use)
    )`.execute(database);
}
