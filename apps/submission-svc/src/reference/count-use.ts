import type { ListName } from '@esd/record/reference/reference';
import { type Kysely, sql } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

/** JSON paths of the names of a list. Units have no fixed paths: they occur with every value and in free-form members. */
const PATHS = {
  polymers: '$.polymerProperty.polymerComponents[*].polymerName ? (@ == $names[*])',
  solvents: '$.solventProperty.solventComponents[*].solventName ? (@ == $names[*])',
  morphologies: '$.fiberProperty.fiberMorphology[*].label ? (@ == $names[*])',
  instabilities: '$.processParameter.instability[*].label ? (@ == $names[*])',
} as const satisfies Partial<Record<ListName, string>>;

/** Counts records whose newest revision contains one of the names. A text search finds the few that must be parsed. */
export async function countUse(database: Kysely<Tables>, list: ListName, names: readonly string[]): Promise<number> {
  const quoted = names.map((name) => JSON.stringify(name));
  const condition =
    list === 'units'
      ? containsText(quoted.flatMap((name) => [`unit":${name}`, `Unit":${name}`]))
      : sql<boolean>`case when ${containsText(quoted)} then jsonb_path_exists(
          record_revision.data::jsonb, ${PATHS[list]}::jsonpath, ${JSON.stringify({ names })}::jsonb) else false end`;
  const { records } = await newestRevisions(database)
    .select((on) => on.fn.countAll<number>().as('records'))
    .where(condition)
    .executeTakeFirstOrThrow();
  return records;
}

function containsText(texts: readonly string[]) {
  return sql<boolean>`exists (
    select from unnest(${texts}::text[]) as name where strpos(record_revision.data::text, name) > 0)`;
}
