import { type CreateTableBuilder, type Kysely, sql } from 'kysely';

const FEATURES = [
  ...['voltage', 'flow_rate', 'tip_dist', 'concentration', 'temp', 'humidity', 'needle_diameter', 'fiber_diameter'],
  ...['variation', 'weight', 'tensile_strength', 'modulus', 'elongation_at_break', 'surface_area', 'porosity'],
  ...['permeability', 'wettability', 'electrical_conductivity', 'thermal_conductivity', 'field_strength'],
  ...['solvent_boiling_point', 'solvent_dielectric_constant', 'solvent_hansen_hydrogen'],
];
const TERMS = [
  ...['doi', 'polymer', 'solvent', 'collector_type', 'needle_type', 'morphology', 'instability', 'fracture_behaviour'],
];
const NOW = sql`now()`;
const TEXTS = sql`text[]`;

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;

  // The one row has the newest revisions. Its lock serializes all changes of the dataset.
  await schema
    .createTable('dataset_head')
    .addColumn('only_row', 'boolean', (c) =>
      c
        .primaryKey()
        .defaultTo(true)
        .check(sql`only_row`),
    )
    .addColumn('dataset_id', 'uuid', (c) => c.notNull().defaultTo(sql`gen_random_uuid()`))
    .addColumn('revision', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('record_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('reference_revision', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`insert into dataset_head default values`.execute(database);

  // The dataset revisions, and the number of public records at each.
  await schema
    .createTable('dataset_revision')
    .addColumn('revision', 'bigint', (c) => c.primaryKey())
    .addColumn('record_count', 'bigint', (c) => c.notNull())
    .addColumn('committed_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();

  // The dataset log. A body has the unescaped text of the last index only as its member.
  await schema
    .createTable('record_revision')
    .addColumn('row_id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('record_id', 'bigint', (c) => c.notNull())
    .addColumn('record_revision', 'integer', (c) => c.notNull())
    .$call(addValidity)
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('approved_at', 'timestamptz', (c) => c.notNull())
    .addUniqueConstraint('record_revision_unique', ['record_id', 'record_revision'])
    .execute();
  await sql`
    create unique index record_revision_live on record_revision (record_id) where valid_to is null;
    create index record_revision_valid_from on record_revision (valid_from);
    create index record_revision_valid_to on record_revision (valid_to) where valid_to is not null;
    create index record_revision_with_images on record_revision (valid_from) where body like '%"fiberImages":[{%'
  `.execute(database);

  // The SHA-256 of each row of the dataset log.
  await schema
    .createTable('record_hash')
    .addColumn('row_id', 'bigint', (c) => c.primaryKey().references('record_revision.row_id'))
    .addColumn('sha256', 'bytea', (c) => c.notNull().check(sql`octet_length(sha256) = 32`))
    .execute();

  // The withdrawals of records, also of those that are public again.
  await schema
    .createTable('withdrawal')
    .addColumn('record_id', 'bigint', (c) => c.notNull())
    .addColumn('record_revision', 'integer', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('withdrawn_at', 'timestamptz', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('withdrawal_pkey', ['record_id', 'record_revision'])
    .execute();

  // The distinct sets of texts that the read index refers to.
  await schema
    .createTable('index_term')
    .addColumn('id', 'integer', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('field', 'text', (c) => c.notNull())
    .addColumn('terms', 'text', (c) => c.notNull())
    .addUniqueConstraint('index_term_unique', ['field', 'terms'])
    .execute();

  // The read index, derived from the dataset log. Rows of older rules are derived again.
  let indexRow: CreateTableBuilder<string, string> = schema
    .createTable('index_row')
    .addColumn('row_id', 'bigint', (c) => c.primaryKey().references('record_revision.row_id'))
    .addColumn('record_id', 'bigint', (c) => c.notNull())
    .addColumn('valid_from', 'bigint', (c) => c.notNull())
    .addColumn('valid_to', 'bigint')
    .addColumn('rules', 'integer', (c) => c.notNull())
    .addColumn('published_at', 'timestamptz', (c) => c.notNull())
    .addColumn('repeat_key', 'double precision')
    .addColumn('has_title', 'boolean', (c) => c.notNull())
    .addColumn('is_formation_stable', 'boolean')
    .addColumn('not_convertible', 'bigint', (c) => c.notNull());
  for (const feature of FEATURES) indexRow = indexRow.addColumn(feature, 'double precision');
  for (const term of TERMS) indexRow = indexRow.addColumn(term, 'integer');
  await indexRow.execute();
  await sql`
    create index index_row_order on index_row (record_id, row_id);
    create index index_row_valid_from on index_row (valid_from);
    create index index_row_valid_to on index_row (valid_to) where valid_to is not null;
    create index index_row_rules on index_row (rules);
    create index index_row_title on index_row (doi, record_id) where has_title
  `.execute(database);

  // The reference lists of polymers and solvents.
  await createEntries('substance')
    .addColumn('list', 'text', (c) => c.notNull().check(sql`list in ('polymers', 'solvents')`))
    .addColumn('retired', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('full_name', 'text')
    .addColumn('abbreviation', 'text')
    .addColumn('aliases', TEXTS, (c) => c.notNull())
    .addColumn('same_as', 'text')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('cas_number', 'text')
    .addColumn('inchi_key', 'text')
    .addColumn('pubchem_cid', 'bigint')
    .addColumn('note', 'text')
    .execute();

  // The reference list of units.
  await createEntries('unit')
    .addColumn('retired', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('unit', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('aliases', TEXTS, (c) => c.notNull())
    .addColumn('dimension', 'text', (c) => c.notNull())
    .addColumn('canonical', 'text')
    .addColumn('factor', 'double precision')
    .addColumn('offset', 'double precision')
    .addColumn('ucum_code', 'text')
    .addColumn('qudt_uri', 'text')
    .execute();

  // The reference list of morphologies.
  await createEntries('morphology')
    .addColumn('retired', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('abbreviation', 'text')
    .addColumn('synonyms', TEXTS, (c) => c.notNull())
    .addColumn('definition', 'text', (c) => c.notNull())
    .execute();

  // The reference list of instabilities.
  await createEntries('instability')
    .addColumn('retired', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('synonyms', TEXTS, (c) => c.notNull())
    .addColumn('definition', 'text', (c) => c.notNull())
    .execute();

  // The texts that mean several entries of a list.
  await createEntries('ambiguous_text')
    .addColumn('list', 'text', (c) =>
      c.notNull().check(sql`list in ('polymers', 'solvents', 'units', 'morphologies', 'instabilities')`),
    )
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('meanings', TEXTS, (c) => c.notNull())
    .execute();

  // The list of papers.
  await createEntries('paper')
    .addColumn('doi', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('authors', 'jsonb', (c) => c.notNull())
    .addColumn('year', 'integer')
    .addColumn('journal', 'text')
    .addColumn('publisher', 'text')
    .addColumn('url', 'text')
    .addColumn('source', 'text', (c) => c.notNull().check(sql`source in ('entered', 'imported', 'resolver')`))
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();

  // A list has at most one valid row for each entry, and for each name.
  await sql`
    create unique index substance_live on substance (list, entry_id) where valid_to is null;
    create unique index substance_live_name on substance (list, name) where valid_to is null;
    create unique index unit_live on unit (entry_id) where valid_to is null;
    create unique index unit_live_unit on unit (unit) where valid_to is null;
    create unique index morphology_live on morphology (entry_id) where valid_to is null;
    create unique index morphology_live_label on morphology (label) where valid_to is null;
    create unique index instability_live on instability (entry_id) where valid_to is null;
    create unique index instability_live_label on instability (label) where valid_to is null;
    create unique index ambiguous_text_live on ambiguous_text (list, text) where valid_to is null;
    create unique index paper_live on paper (entry_id) where valid_to is null;
    create unique index paper_live_doi on paper (doi) where valid_to is null;
    create index paper_doi on paper (doi, valid_from);
    create index paper_valid_from on paper (valid_from);
    create index paper_valid_to on paper (valid_to)
  `.execute(database);

  // The lookups of DOIs at the resolver.
  await schema
    .createTable('paper_lookup')
    .addColumn('doi', 'text', (c) => c.primaryKey())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('last_at', 'timestamptz', (c) => c.notNull())
    .addColumn('next_at', 'timestamptz')
    .addColumn('problem', 'text')
    .execute();

  // The changes to the lists. Rows are only added.
  await schema
    .createTable('reference_change')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('revision', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('account_id', 'uuid', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('list', 'text', (c) =>
      c.notNull().check(sql`list in ('polymers', 'solvents', 'units', 'morphologies', 'instabilities', 'papers')`),
    )
    .addColumn('entry_id', 'bigint', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull().check(sql`action in ('create', 'replace', 'delete')`))
    .addColumn('before', 'jsonb')
    .addColumn('after', 'jsonb')
    .execute();
  await schema.createIndex('reference_change_entry').on('reference_change').columns(['list', 'entry_id']).execute();

  // The releases. A trigger protects the data of frozen releases.
  await schema
    .createTable('release')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('identifier', 'text', (c) => c.notNull().unique())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('BUILDING', 'FROZEN', 'FAILED')`))
    .addColumn('job_id', 'uuid', (c) => c.notNull().unique())
    .addColumn('revision', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('record_count', 'bigint', (c) => c.notNull())
    .addColumn('facts', 'jsonb', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('doi', 'text', (c) => c.unique())
    .addColumn('license', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('frozen_at', 'timestamptz')
    .addColumn('digest', 'text')
    .addColumn('files', 'jsonb')
    .addColumn('failure', 'text')
    .addCheckConstraint(
      'release_frozen',
      sql`(state = 'FROZEN') = (frozen_at is not null and digest is not null and files is not null)`,
    )
    .addCheckConstraint('release_failed', sql`(state = 'FAILED') = (failure is not null)`)
    .execute();
  await sql`
    create function protect_frozen_release() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' or
        (new.id, new.identifier, new.state, new.job_id, new.revision, new.record_count, new.created_at, new.frozen_at,
         new.digest, new.files) is distinct from
        (old.id, old.identifier, old.state, old.job_id, old.revision, old.record_count, old.created_at, old.frozen_at,
         old.digest, old.files)
      then
        raise exception 'release % is frozen', old.identifier;
      end if;
      return new;
    end $$;
    create trigger protect_frozen_release before update or delete on release
    for each row when (old.state = 'FROZEN') execute function protect_frozen_release()`.execute(database);

  // Every DOI that a frozen release has or had. It may be cited and never belongs to another release.
  await schema
    .createTable('release_doi')
    .addColumn('doi', 'text', (c) => c.notNull())
    .addColumn('release_id', 'bigint', (c) => c.notNull().references('release.id'))
    .addPrimaryKeyConstraint('release_doi_pkey', ['doi', 'release_id'])
    .execute();
  await sql`
    create function record_release_doi() returns trigger language plpgsql as $$
    begin
      insert into release_doi (doi, release_id) values (new.doi, new.id) on conflict do nothing;
      return null;
    end $$;
    create trigger record_release_doi after insert or update on release
    for each row when (new.state = 'FROZEN' and new.doi is not null) execute function record_release_doi()
  `.execute(database);

  // The actions on releases. Rows are only added.
  await schema
    .createTable('release_change')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('release_id', 'bigint', (c) => c.notNull().references('release.id'))
    .addColumn('at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .addColumn('account_id', 'uuid')
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) =>
      c.notNull().check(sql`action in ('reserve', 'freeze', 'fail', 'describe', 'facts')`),
    )
    .addColumn('details', 'jsonb', (c) => c.notNull())
    .execute();
  await schema.createIndex('release_change_release').on('release_change').column('release_id').execute();

  // The personal snapshots of accounts.
  await schema
    .createTable('snapshot')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('owner_account_id', 'uuid', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('filter', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('record_count', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await schema.createIndex('snapshot_owner').on('snapshot').columns(['owner_account_id', 'id']).execute();

  // The rows of a personal snapshot, in a compressed list.
  await schema
    .createTable('snapshot_rows')
    .addColumn('snapshot_id', 'bigint', (c) => c.primaryKey().references('snapshot.id').onDelete('cascade'))
    .addColumn('row_list', 'bytea', (c) => c.notNull().modifyFront(sql`storage external`))
    .execute();

  // The public queries with their rows, in a compressed list. They are never changed or deleted.
  await schema
    .createTable('query')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('filter', 'text', (c) => c.notNull())
    .addColumn('sort', 'text')
    .addColumn('fields', 'text')
    .addColumn('once', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('record_count', 'bigint', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('row_list', 'bytea', (c) => c.notNull().modifyFront(sql`storage external`))
    .addColumn('by_account', 'boolean', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(NOW))
    .execute();
  await sql`
    create index query_without_account on query (id) where not by_account;
    create function keep_query() returns trigger language plpgsql as $$
    begin
      raise exception 'query % cannot be changed', old.id;
    end $$;
    create trigger keep_query before update or delete on query
    for each row execute function keep_query()`.execute(database);

  // The salt of the day. No address is stored, only its hash with this salt.
  await schema
    .createTable('query_day')
    .addColumn('day', 'date', (c) => c.primaryKey())
    .addColumn('salt', 'bytea', (c) => c.notNull())
    .execute();

  // The number of new queries of each client on the day.
  await schema
    .createTable('query_client')
    .addColumn('day', 'date', (c) => c.notNull().references('query_day.day').onDelete('cascade'))
    .addColumn('client', 'bytea', (c) => c.notNull())
    .addColumn('queries', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('query_client_pkey', ['day', 'client'])
    .execute();

  // The deleted accounts, for which nothing more is stored.
  await schema
    .createTable('deleted_account')
    .addColumn('account_id', 'uuid', (c) => c.primaryKey())
    .addColumn('deleted_at', 'timestamptz', (c) => c.notNull())
    .execute();

  function createEntries(name: string): CreateTableBuilder<string, string> {
    return schema
      .createTable(name)
      .addColumn('row_id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
      .addColumn('entry_id', 'bigint', (c) => c.notNull())
      .$call(addValidity);
  }
}

/** Adds the dataset revisions from which a row is valid, and before which its validity ends. */
function addValidity<Columns extends string>(
  table: CreateTableBuilder<string, Columns>,
): CreateTableBuilder<string, Columns | 'valid_from' | 'valid_to'> {
  return table
    .addColumn('valid_from', 'bigint', (c) => c.notNull().references('dataset_revision.revision'))
    .addColumn('valid_to', 'bigint', (c) =>
      c.references('dataset_revision.revision').check(sql`valid_to > valid_from`),
    );
}
