import type { ListName } from '@esd/record/reference';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Where records hold the names of a list; units stand beside every value, and in free members. */
const PLACES = {
  polymers: '$.polymerProperty.polymerComponents[*].polymerName ? (@ == $names[*])',
  solvents: '$.solventProperty.solventComponents[*].solventName ? (@ == $names[*])',
  morphologies: '$.fiberProperty.fiberMorphology[*].label ? (@ == $names[*])',
  instabilities: '$.processParameter.instability[*].label ? (@ == $names[*])',
} as const satisfies Partial<Record<ListName, string>>;

/** How many records hold one of the names in their newest revision, whatever their status. */
export async function countUse(database: Kysely<Tables>, list: ListName, names: readonly string[]): Promise<number> {
  const holds =
    list === 'units'
      ? sql<boolean>`exists (
          select from jsonb_path_query(record_revision.data::jsonb, '$.** ? (@.type() == "object").keyvalue()') as member
          where member ->> 'key' ~ '[uU]nit$' and member ->> 'value' = any(${names}::text[]))`
      : sql<boolean>`jsonb_path_exists(
          record_revision.data::jsonb, ${PLACES[list]}::jsonpath, ${JSON.stringify({ names })}::jsonb)`;
  const { records } = await database
    .selectFrom('record')
    .innerJoin('record_revision', (join) =>
      join
        .onRef('record_revision.record_id', '=', 'record.id')
        .onRef('record_revision.revision', '=', 'record.revision'),
    )
    .select((on) => on.fn.countAll<number>().as('records'))
    .where(holds)
    .executeTakeFirstOrThrow();
  return records;
}
