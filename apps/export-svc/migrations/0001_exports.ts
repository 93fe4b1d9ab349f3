import { type Kysely, sql } from 'kysely';

const NOW = sql`now()`;

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;

  // The files that can be rebuilt: of latest, with a filter, or of a personal snapshot.
  await schema
    .createTable('built_file')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('format', 'text', (c) => c.notNull())
    .addColumn('lease_id', 'uuid')
    .addColumn('lease_until', 'timestamptz')
    .addColumn('bytes', 'bigint')
    .addColumn('sha256', 'text')
    // Not an integer, because a CRC-32 is unsigned.
    .addColumn('crc32', 'bigint')
    .addColumn('entity_tag', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('used_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addCheckConstraint('built_file_hash', sql`(bytes is null) = (sha256 is null)`)
    .addCheckConstraint('built_file_lease', sql`(lease_id is null) = (lease_until is null)`)
    .execute();
  await sql`create index built_file_used on built_file (used_at) where bytes is not null`.execute(database);

  // The freeze jobs of releases.
  await schema
    .createTable('freeze_job')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('identifier', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('doi', 'text')
    .addColumn('license', 'text')
    .addColumn('account_id', 'uuid', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('BUILDING', 'FROZEN', 'FAILING', 'FAILED')`))
    .addColumn('release_id', 'bigint')
    .addColumn('dataset_id', 'uuid')
    .addColumn('revision', 'bigint')
    .addColumn('record_count', 'bigint')
    .addColumn('reserved_at', 'timestamptz')
    .addColumn('digest', 'text')
    .addColumn('failure', 'text')
    .addColumn('lease_id', 'uuid')
    .addColumn('lease_until', 'timestamptz')
    .addColumn('try_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('ended_at', 'timestamptz')
    .addCheckConstraint('freeze_job_lease', sql`(lease_id is null) = (lease_until is null)`)
    .execute();
  // At most one job for each identifier has not failed.
  await sql`
    create unique index freeze_job_identifier on freeze_job (identifier) where state <> 'FAILED';
    create index freeze_job_open on freeze_job (try_at) where state in ('BUILDING', 'FAILING')
  `.execute(database);

  // The files of releases, which are never deleted or replaced.
  await schema
    .createTable('freeze_file')
    .addColumn('job_id', 'uuid', (c) => c.notNull().references('freeze_job.id'))
    .addColumn('format', 'text', (c) => c.notNull())
    .addColumn('object_key', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('crc32', 'bigint', (c) => c.notNull())
    .addColumn('columns', 'text')
    .addColumn('entity_tag', 'text')
    .addColumn('stored_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addPrimaryKeyConstraint('freeze_file_pkey', ['job_id', 'format'])
    .execute();

  // The totals of views and downloads.
  await schema
    .createTable('usage_counter')
    .addColumn('name', 'text', (c) => c.primaryKey().check(sql`name in ('views', 'downloads')`))
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into usage_counter (name, value) values ('views', 0), ('downloads', 0)`.execute(database);

  // The daily sums of views and downloads, without single requests or addresses.
  await schema
    .createTable('usage_day')
    .addColumn('day', 'date', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('use', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_day_pkey', ['day', 'version', 'use'])
    .execute();

  // The events that the relay publishes.
  await schema
    .createTable('outbox')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('sequence', 'bigint', (c) => c.notNull().generatedAlwaysAsIdentity())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('body', 'bytea', (c) => c.notNull())
    .addColumn('traceparent', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('published_at', 'timestamptz')
    .execute();
  await sql`create index outbox_unpublished on outbox (sequence) where published_at is null`.execute(database);
}
