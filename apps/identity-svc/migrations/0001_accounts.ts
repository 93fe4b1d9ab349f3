import { type Kysely, sql } from 'kysely';

const NOW = sql`now()`;

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;

  // The accounts. Deleting a row cascades to the other data of the account.
  await schema
    .createTable('account')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('email_normalized', 'text', (c) => c.notNull().unique())
    .addColumn('email_verified', 'boolean', (c) => c.notNull())
    .addColumn('registered_again', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('USER', 'MODERATOR', 'ADMIN')`))
    .addColumn('enabled', 'boolean', (c) => c.notNull().defaultTo(true))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('orcid', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();

  // The deleted accounts, for which nothing more is stored.
  await schema
    .createTable('deleted_account')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey())
    .addColumn('deleted_at', 'timestamptz', (c) => c.notNull())
    .execute();

  // The sessions: a login and all its refreshes.
  await schema
    .createTable('session')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('remember_me', 'boolean', (c) => c.notNull())
    .addColumn('network', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('ended_at', 'timestamptz')
    .execute();
  await schema.createIndex('session_account_id').on('session').column('account_id').execute();
  await schema.createIndex('session_expires_at').on('session').column('expires_at').execute();

  // The refresh tokens of sessions, also the used ones.
  await schema
    .createTable('refresh_token')
    .addColumn('token_hash', 'bytea', (c) => c.primaryKey())
    .addColumn('session_id', 'uuid', (c) => c.notNull().references('session.id').onDelete('cascade'))
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('used_at', 'timestamptz')
    .execute();
  await schema.createIndex('refresh_token_session_id').on('refresh_token').column('session_id').execute();

  // The two-factor sign-in of an account.
  await schema
    .createTable('two_factor')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('sealed_secret', 'bytea', (c) => c.notNull())
    .addColumn('confirmed_at', 'timestamptz')
    .addColumn('last_step', 'bigint')
    .execute();

  // The codes for sign-in without the authenticator.
  await schema
    .createTable('recovery_code')
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('two_factor.account_id').onDelete('cascade'))
    .addColumn('hash', 'bytea', (c) => c.notNull())
    .addColumn('used_at', 'timestamptz')
    .addPrimaryKeyConstraint('recovery_code_pkey', ['account_id', 'hash'])
    .execute();

  // The wrong passwords. The table is unlogged, because a loss in a crash only allows a few more guesses.
  await schema
    .createTable('login_guess')
    .modifyFront(sql`unlogged`)
    .addColumn('key', 'bytea', (c) => c.primaryKey())
    .addColumn('wrong', 'integer', (c) => c.notNull())
    .addColumn('last_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await schema.createIndex('login_guess_last_at').on('login_guess').column('last_at').execute();

  // The client addresses from which an account has logged in.
  await schema
    .createTable('known_login_network')
    .addColumn('network_hash', 'bytea', (c) => c.primaryKey())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('last_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await schema.createIndex('known_login_network_account_id').on('known_login_network').column('account_id').execute();
  await schema.createIndex('known_login_network_last_at').on('known_login_network').column('last_at').execute();

  // The personal access tokens. A token remains when its secret is replaced.
  await schema
    .createTable('personal_access_token')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('expires_at', 'timestamptz')
    .addColumn('revoked_at', 'timestamptz')
    .addColumn('last_used_at', 'timestamptz')
    .execute();

  // The secrets of tokens, also the replaced ones.
  await schema
    .createTable('personal_access_token_secret')
    .addColumn('hash', 'bytea', (c) => c.primaryKey())
    .addColumn('token_id', 'bigint', (c) => c.notNull().references('personal_access_token.id').onDelete('cascade'))
    .addColumn('prefix', 'text', (c) => c.notNull())
    .addColumn('replaced_at', 'timestamptz')
    .execute();
  await sql`
    create index personal_access_token_account_id on personal_access_token (account_id);
    create index personal_access_token_secret_token_id on personal_access_token_secret (token_id);
    create unique index personal_access_token_secret_current on personal_access_token_secret (token_id)
      where replaced_at is null
  `.execute(database);

  // The waiting and recent mails. Rows contain no text.
  await schema
    .createTable('mail')
    .addColumn('id', 'uuid', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('account_id', 'uuid', (c) => c.references('account.id').onDelete('cascade'))
    .addColumn('email_normalized', 'text')
    .addColumn('record_id', 'bigint')
    .addColumn('decisions', 'jsonb')
    .addColumn('details', 'jsonb')
    .addColumn('event_key', 'bytea', (c) => c.unique())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('next_try_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('sent_at', 'timestamptz')
    .addColumn('given_up_at', 'timestamptz')
    .addColumn('last_error', 'text')
    .addColumn('bundled_into', 'uuid')
    .addCheckConstraint('mail_check', sql`(account_id is null) <> (email_normalized is null)`)
    .execute();

  // The tokens in the links of mails.
  await schema
    .createTable('mail_token')
    .addColumn('token_hash', 'bytea', (c) => c.primaryKey())
    .addColumn('purpose', 'text', (c) => c.notNull().check(sql`purpose in ('verify-email', 'set-password')`))
    .addColumn('account_id', 'uuid', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('mail_id', 'uuid', (c) => c.notNull().references('mail.id').onDelete('cascade'))
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('used_at', 'timestamptz')
    .execute();
  await sql`
    create index mail_waiting on mail (next_try_at) where sent_at is null and given_up_at is null;
    create index mail_account_id on mail (account_id);
    create index mail_created_at on mail (created_at);
    create index mail_token_account_id on mail_token (account_id);
    create index mail_token_mail_id on mail_token (mail_id)
  `.execute(database);

  // The actions on accounts, sessions and tokens, without personal data. A trigger refuses all changes.
  await schema
    .createTable('audit')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('actor', 'uuid')
    .addColumn('subject', 'uuid')
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('details', 'jsonb', (c) => c.notNull())
    .execute();
  await sql`
    create index audit_actor on audit (actor, id);
    create index audit_subject on audit (subject, id);
    create index audit_action on audit (action, id);
    create index audit_at on audit (at);
    create function refuse_change_of_audit() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit trail is append-only';
    end
    $$;
    create trigger audit_append_only before update or delete or truncate on audit
    for each statement execute function refuse_change_of_audit()`.execute(database);

  // The client addresses of actions, in a separate table so that they can be erased.
  await schema
    .createTable('audit_origin')
    .addColumn('audit_id', 'bigint', (c) => c.primaryKey().references('audit.id'))
    .addColumn('client_ip', 'text', (c) => c.notNull())
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
