import { type Kysely, sql } from 'kysely';

/** Adds the rows of the read index. They are derived from record_revision, so both tables may be emptied at any time. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table index_term (
      id integer generated always as identity primary key,
      field text not null,
      terms text not null,
      unique (field, terms)
    )`.execute(database);

  await sql`
    create table index_row (
      row_id bigint primary key references record_revision,
      record_id bigint not null,
      valid_from bigint not null,
      valid_to bigint,
      voltage double precision,
      flow_rate double precision,
      tip_dist double precision,
      concentration double precision,
      temp double precision,
      humidity double precision,
      needle_diameter double precision,
      fiber_diameter double precision,
      variation double precision,
      weight double precision,
      tensile_strength double precision,
      modulus double precision,
      elongation_at_break double precision,
      surface_area double precision,
      porosity double precision,
      permeability double precision,
      wettability double precision,
      electrical_conductivity double precision,
      thermal_conductivity double precision,
      is_formation_stable boolean,
      doi integer,
      polymer integer,
      solvent integer,
      collector_type integer,
      needle_type integer,
      morphology integer,
      instability integer,
      fracture_behaviour integer
    )`.execute(database);
  await sql`create index index_row_order on index_row (record_id, row_id)`.execute(database);
  await sql`create index index_row_valid_from on index_row (valid_from)`.execute(database);
  await sql`create index index_row_valid_to on index_row (valid_to) where valid_to is not null`.execute(database);
}
