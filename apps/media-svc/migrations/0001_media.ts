import { type Kysely, sql } from 'kysely';

const NOW = sql`now()`;

export async function up(database: Kysely<unknown>): Promise<void> {
  // The stored PNGs. All images with the same content share one.
  await database.schema
    .createTable('blob')
    .addColumn('sha256', 'text', (c) => c.primaryKey().check(sql`sha256 ~ '^[0-9a-f]{64}$'`))
    // Folder of its objects, which are written before this row and removed after it. A folder is never reused.
    .addColumn('folder', 'uuid', (c) => c.notNull().unique())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('width', 'integer', (c) => c.notNull())
    .addColumn('height', 'integer', (c) => c.notNull())
    .addColumn('stored_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();

  // The uploaded images, attached to a record or not.
  await database.schema
    .createTable('image')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('sha256', 'text', (c) => c.notNull().references('blob.sha256'))
    .addColumn('image_type', 'text')
    .addColumn('image_definition', 'json')
    .addColumn('uploaded_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    // Network of the uploader, IPv4 address or IPv6 /64; erased after a day.
    .addColumn('client', sql`cidr`)
    // Opaque id of the uploading account; erased when the image may no longer be unattached.
    .addColumn('account_id', 'text')
    // The record to which it is attached, and the time since which it is attached, unattached, or reserved.
    .addColumn('record_id', 'bigint')
    .addColumn('since', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    // Name of the reservation for a record that is about to be stored or edited.
    .addColumn('reserved_for', 'text', (c) => c.check(sql`length(reserved_for) <= 100`))
    // Time of the last confirmation by submission-svc that the record contains it.
    .addColumn('confirmed_at', 'timestamptz')
    // Set when a revision that contains it is approved; the image is then retained permanently.
    .addColumn('published_at', 'timestamptz')
    .addCheckConstraint('image_check', sql`published_at is null or record_id is not null`)
    .execute();
  await sql`
    create index image_blob on image (sha256);
    create index image_client on image (client, uploaded_at) where client is not null;
    create index image_account on image (account_id, uploaded_at) where account_id is not null;
    create index image_unattached on image (since) where record_id is null;
    create index image_claimed on image (since) where record_id is not null and published_at is null;
    create index image_reserved on image (since) where reserved_for is not null
  `.execute(database);
}
