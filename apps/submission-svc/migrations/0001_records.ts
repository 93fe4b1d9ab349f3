import { type Kysely, sql } from 'kysely';

const NOW = sql`now()`;
const UUIDS = sql`uuid[]`;

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;

  // The highest assigned ids. Unlike a sequence, this table leaves no gap when a transaction is rolled back.
  await schema
    .createTable('last_id')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into last_id (name, value) values ('submission', 0), ('record', 0)`.execute(database);
  // The fixed order of the updates prevents deadlocks. The statement that stores the rows calls this function, so that
  // other submissions wait only for this statement and the commit.
  await sql`
    create function take_ids(records bigint, out submission_id bigint, out first_record_id bigint)
    language plpgsql as $$
    begin
      update last_id set value = value + 1 where name = 'submission' returning value into submission_id;
      update last_id set value = value + records where name = 'record' returning value - records + 1 into first_record_id;
    end $$`.execute(database);

  // The submissions.
  await schema
    .createTable('submission')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('owner_account_id', 'uuid')
    .addColumn('credential', 'text', (c) => c.notNull().check(sql`credential in ('anonymous', 'session', 'pat')`))
    .addColumn('image_only', 'boolean', (c) => c.notNull())
    .addColumn('research_metadata', 'json', (c) => c.notNull())
    .addColumn('submitted_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();

  // Personal data of submitters, in a separate table so that it can be erased.
  await schema
    .createTable('submitter')
    .addColumn('submission_id', 'bigint', (c) => c.primaryKey().references('submission.id').onDelete('cascade'))
    .addColumn('user_metadata', 'json', (c) => c.notNull())
    .execute();
  await sql`
    create index submission_owner on submission (owner_account_id);
    create index submission_anonymous on submission (submitted_at) where credential = 'anonymous';
    create index submitter_said_public on submitter (submission_id)
      where (user_metadata ->> 'showPublicly') is not null
  `.execute(database);

  // The submissions of idempotency keys.
  await schema
    .createTable('idempotency_key')
    .addColumn('key_hash', 'bytea', (c) => c.primaryKey())
    .addColumn('body_hash', 'bytea', (c) => c.notNull())
    .addColumn('submission_id', 'bigint', (c) => c.notNull().references('submission.id').onDelete('cascade'))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await schema.createIndex('idempotency_key_submission').on('idempotency_key').column('submission_id').execute();
  await schema.createIndex('idempotency_key_age').on('idempotency_key').column('created_at').execute();

  // The records with their status.
  await schema
    .createTable('record')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('submission_id', 'bigint', (c) => c.notNull().references('submission.id'))
    .addColumn('owner_account_id', 'uuid')
    // Keyed hash of the network of a record without an account; null once it is erased.
    .addColumn('origin', 'text')
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE')`),
    )
    .addColumn('status_since', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('published_revision', 'integer', (c) => c.check(sql`published_revision <= revision`))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('erased_at', 'timestamptz')
    .execute();
  // The last index has only records that are not erased yet.
  await sql`
    create index record_submission on record (submission_id);
    create index record_owner on record (owner_account_id, status);
    create index record_owner_id on record (owner_account_id, id);
    create index record_status on record (status, id);
    create index record_queue on record (status, status_since, id);
    create index record_origin on record (origin, status, id) where origin is not null;
    create index record_to_erase on record (status_since)
      where status = 'REJECTED' and owner_account_id is null and published_revision is null and erased_at is null
  `.execute(database);

  // The revisions of records. Queries would parse whole records without the generated columns.
  await schema
    .createTable('record_revision')
    .addColumn('record_id', 'bigint', (c) => c.notNull().references('record.id'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('data', 'json', (c) => c.notNull())
    .addColumn('missing_fields', sql`text[]`, (c) => c.notNull())
    .addColumn('warnings', 'json', (c) => c.notNull())
    .addColumn('author_account_id', 'uuid')
    .addColumn('content_hash', 'bytea')
    .addColumn('duplicate_hash', 'bytea')
    .addColumn('polymers', 'jsonb', (c) =>
      c
        .notNull()
        .generatedAlwaysAs(
          sql`coalesce(
            jsonb_path_query_array((data #> '{polymerProperty,polymerComponents}')::jsonb, '$[*].polymerName'), '[]')`,
        )
        .stored(),
    )
    .addColumn('image_ids', 'jsonb', (c) =>
      c
        .notNull()
        .generatedAlwaysAs(sql`coalesce(jsonb_path_query_array((data -> 'fiberImages')::jsonb, '$[*].imageId'), '[]')`)
        .stored(),
    )
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addPrimaryKeyConstraint('record_revision_pkey', ['record_id', 'revision'])
    .execute();
  // The counts of the review queue would read every revision without the last index. Without the statistics, PostgreSQL
  // expects warnings in a third of the revisions, and looks up each record instead of hashing them.
  await sql`
    create index record_revision_duplicate on record_revision (duplicate_hash, record_id)
      where duplicate_hash is not null;
    create index record_revision_images on record_revision using gin (image_ids) where image_ids <> '[]';
    create index record_revision_warned on record_revision (record_id, revision) where json_array_length(warnings) > 0;
    create statistics record_revision_warnings on (json_array_length(warnings)) from record_revision
  `.execute(database);

  // The newest withdrawal of each record; in force while no revision of the record is public.
  await schema
    .createTable('withdrawal')
    .addColumn('record_id', 'bigint', (c) => c.primaryKey().references('record.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('published_revision', 'integer', (c) => c.notNull())
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .execute();

  // The audit trail. It outlives records that are deleted with their account.
  await schema
    .createTable('audit')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('actor_account_id', 'uuid')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('record_id', 'bigint', (c) => c.notNull())
    .addColumn('record_revision', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('decision_id', 'bigint')
    .addColumn('published_before', 'integer')
    .execute();
  // A message of an owner is unread until a moderator decides. The review queue counts such threads by the last index.
  await sql`
    create index audit_record on audit (record_id);
    create index audit_actor on audit (actor_account_id, id);
    create index audit_decided on audit (decision_id) where decision_id is not null;
    create index audit_decision on audit (record_id, at)
      where action in ('approve', 'reject', 'withdraw', 'restore', 'reopen')
  `.execute(database);

  // The bulk decisions. The ids are those of the audit trail, because the list of decisions has rows of both tables.
  await schema
    .createTable('decision')
    .addColumn('id', 'bigint', (c) => c.primaryKey().defaultTo(sql`nextval(pg_get_serial_sequence('audit', 'id'))`))
    .addColumn('account_id', 'uuid', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('undo_until', 'timestamptz', (c) => c.notNull())
    .addColumn('undone_at', 'timestamptz')
    .addColumn('approved_event_ids', UUIDS, (c) => c.notNull())
    .addColumn('reviewed_event_ids', UUIDS, (c) => c.notNull())
    .execute();
  await sql`
    create index decision_account on decision (account_id, id);
    alter table audit add foreign key (decision_id) references decision`.execute(database);

  // The messages of threads.
  await schema
    .createTable('message')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('record_id', 'bigint', (c) => c.notNull().references('record.id').onDelete('cascade'))
    .addColumn('from_owner', 'boolean', (c) => c.notNull())
    .addColumn('author_account_id', 'uuid')
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await schema.createIndex('message_record').on('message').columns(['record_id', 'id']).execute();
  await schema.createIndex('message_author').on('message').column('author_account_id').execute();

  // The newest message of a thread that its owner, or any moderator, has marked as read.
  await schema
    .createTable('read_mark')
    .addColumn('record_id', 'bigint', (c) => c.notNull().references('record.id').onDelete('cascade'))
    .addColumn('by_owner', 'boolean', (c) => c.notNull())
    .addColumn('message_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('read_mark_pkey', ['record_id', 'by_owner'])
    .execute();

  // Feedback, which anyone can send. Neither the account nor the address of the sender is stored.
  await schema
    .createTable('feedback')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('image', 'bytea')
    .addColumn('image_media_type', 'text', (c) =>
      c.check(sql`image_media_type in ('image/png', 'image/jpeg', 'image/webp')`),
    )
    .addColumn('image_bytes', 'integer', (c) => c.generatedAlwaysAs(sql`octet_length(image)`).stored())
    // Keyed hash of the network or the account; null once it is erased. `signed_in` does not identify the account.
    .addColumn('sender', 'text')
    .addColumn('signed_in', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('state', 'text', (c) =>
      c
        .notNull()
        .defaultTo('OPEN')
        .check(sql`state in ('OPEN', 'IN_PROGRESS', 'CLOSED')`),
    )
    .addColumn('note', 'text')
    .addColumn('submitted_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('changed_at', 'timestamptz')
    .addColumn('changed_by', 'uuid')
    .addCheckConstraint('feedback_check', sql`(image is null) = (image_media_type is null)`)
    .execute();
  await sql`
    create index feedback_state on feedback (state, id);
    create index feedback_image on feedback (state, image_bytes) where image_bytes is not null;
    create index feedback_open on feedback (sender, signed_in, submitted_at, image_bytes) where state <> 'CLOSED';
    create index feedback_closed on feedback (changed_at) where state = 'CLOSED'
  `.execute(database);

  // The audit trail of deleted feedback.
  await schema
    .createTable('feedback_audit')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('actor_account_id', 'uuid')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('feedback_id', 'bigint', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .execute();

  // The deleted accounts, for which nothing more is stored.
  await schema
    .createTable('deleted_account')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey())
    .addColumn('deleted_at', 'timestamptz', (c) => c.notNull())
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
  // An event has the time of the decision that wrote it.
  await schema.createIndex('outbox_created').on('outbox').column('created_at').execute();
}
