import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  // A stored PNG, shared by all images with the same content.
  await sql`
    create table blob (
      sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
      -- Folder of its objects, which are written before this row and removed after it. A folder is never reused.
      folder uuid not null unique,
      bytes bigint not null,
      width integer not null,
      height integer not null,
      stored_at timestamptz not null default now()
    )`.execute(database);

  await sql`
    create table image (
      id uuid primary key,
      sha256 text not null references blob,
      image_type text,
      image_definition json,
      uploaded_at timestamptz not null default now(),
      -- Network of the uploader, IPv4 address or IPv6 /64; erased after a day.
      client cidr,
      -- The record to which it is attached, and the time since which it is attached or unattached.
      record_id bigint,
      since timestamptz not null default now(),
      -- Time of the last confirmation by submission-svc that the record contains it.
      confirmed_at timestamptz,
      -- Set when a revision that contains it is approved; the image is then retained permanently.
      published_at timestamptz,
      check (published_at is null or record_id is not null)
    )`.execute(database);
  await sql`create index image_blob on image (sha256)`.execute(database);
  await sql`create index image_client on image (client, uploaded_at) where client is not null`.execute(database);
  await sql`create index image_unattached on image (since) where record_id is null`.execute(database);
  await sql`create index image_claimed on image (since) where record_id is not null and published_at is null`.execute(
    database,
  );
}
