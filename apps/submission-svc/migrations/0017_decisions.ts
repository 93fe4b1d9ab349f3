import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // The ids are those of the audit trail, because the list of decisions has rows of both tables.
  await sql`
    create table decision (
      id bigint primary key default nextval(pg_get_serial_sequence('audit', 'id')),
      account_id uuid not null,
      action text not null,
      reason text,
      at timestamptz not null default now(),
      undo_until timestamptz not null,
      undone_at timestamptz,
      approved_event_ids uuid[] not null,
      reviewed_event_ids uuid[] not null
    )`.execute(database);
  await sql`create index decision_account on decision (account_id, id)`.execute(database);
  await sql`
    alter table audit
      add column decision_id bigint references decision,
      add column published_before integer`.execute(database);
  await sql`create index audit_decided on audit (decision_id) where decision_id is not null`.execute(database);
}
