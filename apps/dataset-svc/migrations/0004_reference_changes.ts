import { type Kysely, sql } from 'kysely';

/** Adds retired entries and a log of the changes to the lists. Rows of the log are only added. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const table of ['substance', 'unit', 'morphology', 'instability']) {
    await sql`alter table ${sql.table(table)} add column retired boolean not null default false`.execute(database);
  }
  await sql`
    create table reference_change (
      id bigint generated always as identity primary key,
      revision bigint not null references dataset_revision,
      at timestamptz not null default now(),
      account_id uuid not null,
      request_id text not null,
      list text not null check (list in ('polymers', 'solvents', 'units', 'morphologies', 'instabilities')),
      entry_id bigint not null,
      action text not null check (action in ('create', 'replace', 'delete')),
      before jsonb,
      after jsonb
    )`.execute(database);
  await sql`create index reference_change_entry on reference_change (list, entry_id)`.execute(database);
}
