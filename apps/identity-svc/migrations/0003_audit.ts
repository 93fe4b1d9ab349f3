import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      action text not null,
      actor uuid,
      subject uuid,
      request_id text not null,
      details jsonb not null
    )
  `.execute(database);
  await sql`create index audit_actor on audit (actor, id)`.execute(database);
  await sql`create index audit_subject on audit (subject, id)`.execute(database);
  await sql`create index audit_action on audit (action, id)`.execute(database);
  await sql`create index audit_at on audit (at)`.execute(database);
  await sql`
    create function refuse_change_of_audit() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit trail is append-only';
    end
    $$
  `.execute(database);
  await sql`
    create trigger audit_append_only before update or delete or truncate on audit
    for each statement execute function refuse_change_of_audit()
  `.execute(database);
  await sql`
    create table audit_origin (
      audit_id bigint primary key references audit,
      client_ip text not null
    )
  `.execute(database);
}
