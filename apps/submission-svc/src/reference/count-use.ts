import type { ListName } from '@esd/record/reference/reference';
import { type Kysely, sql } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

/** Where records hold the names of a list; units stand beside every value, and in free members. */
const PLACES = {
  polymers: '$.polymerProperty.polymerComponents[*].polymerName ? (@ == $names[*])',
  solvents: '$.solventProperty.solventComponents[*].solventName ? (@ == $names[*])',
  morphologies: '$.fiberProperty.fiberMorphology[*].label ? (@ == $names[*])',
  instabilities: '$.processParameter.instability[*].label ? (@ == $names[*])',
} as const satisfies Partial<Record<ListName, string>>;

/**
 * How many records hold one of the names in their newest revision, whatever their status. Records are kept as
 * `JSON.stringify` wrote them, so that the text of a record shows whether a name can be in it: only few have to be parsed.
 */
export async function countUse(database: Kysely<Tables>, list: ListName, names: readonly string[]): Promise<number> {
  const quoted = names.map((name) => JSON.stringify(name));
  const holds =
    list === 'units'
      ? holdsText(quoted.flatMap((name) => [`unit":${name}`, `Unit":${name}`]))
      : sql<boolean>`case when ${holdsText(quoted)} then jsonb_path_exists(
          record_revision.data::jsonb, ${PLACES[list]}::jsonpath, ${JSON.stringify({ names })}::jsonb) else false end`;
  const { records } = await newestRevisions(database)
    .select((on) => on.fn.countAll<number>().as('records'))
    .where(holds)
    .executeTakeFirstOrThrow();
  return records;
}

function holdsText(texts: readonly string[]) {
  return sql<boolean>`exists (
    select from unnest(${texts}::text[]) as name where strpos(record_revision.data::text, name) > 0)`;
}
