import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // Open to anyone: neither the account nor the address of the sender is stored.
  await sql`
    create table feedback (
      id bigint generated always as identity primary key,
      name text not null,
      category text not null,
      subject text not null,
      message text not null,
      image bytea,
      image_media_type text check (image_media_type in ('image/png', 'image/jpeg', 'image/webp')),
      image_bytes integer generated always as (octet_length(image)) stored,
      state text not null default 'OPEN' check (state in ('OPEN', 'IN_PROGRESS', 'CLOSED')),
      note text,
      submitted_at timestamptz not null default now(),
      changed_at timestamptz,
      changed_by uuid,
      check ((image is null) = (image_media_type is null))
    )`.execute(database);
  await sql`create index feedback_state on feedback (state, id)`.execute(database);
  await sql`create index feedback_image on feedback (state, image_bytes) where image_bytes is not null`.execute(
    database,
  );
}
