import { isJoined, type References, resolveName } from '../reference/reference.ts';
import type { SubstanceKey } from '../reference/substance-names.ts';
import { systemOf, systemsIn } from '../reference/systems.ts';
import { describe } from '../validate/problems.ts';
import type { Filter } from './filter.ts';
import { alternativesOf, jointNames, termMatcher } from './text-terms.ts';

/**
 * Returns the problem of a filter that names a polymer or a solvent together with a detail or another name. Such a filter would
 * match nothing. A text that the names of an entry contain is no problem. `path` is the key of the filter.
 */
export function nameProblem(
  filter: Filter,
  references: References,
): { path: string; code: 'INVALID_FILTER'; message: string } | undefined {
  for (const condition of filter) {
    if (condition.kind !== 'text' && condition.kind !== 'values') continue;
    const { key } = condition;
    if (key !== 'polymer' && key !== 'solvent') continue;
    const isText = condition.kind === 'text';
    const names = isText
      ? alternativesOf(condition, references).flat()
      : condition.values.flatMap((value) => jointNames(key, value, references));
    for (const text of names) {
      const problem = textProblem(text, key, references);
      if (problem === undefined) continue;
      const matches = termMatcher({ kind: 'text', key, text }, references);
      if (isText && references.lists[`${key}s`].some(({ name }) => matches(name))) continue;
      return { path: key, code: 'INVALID_FILTER', message: `\`${key}\`: The text ${describe(text)} ${problem}` };
    }
  }
  return undefined;
}

function textProblem(text: string, key: SubstanceKey, references: References): string | undefined {
  const resolution = resolveName(references, `${key}s`, text);
  const isList = resolution.kind === 'ambiguous' && isJoined(resolution);
  const [names = []] = isList ? [resolution.meanings] : systemsIn(references, key, text);
  if (names.length > 1) {
    const system = describe(systemOf(references, key, names));
    return `names ${names.join(' and ')}; send \`"${key}System":${system}\` for exactly these, or \`"${key}":${describe(names.join(' & '))}\` for all of them.`;
  }
  if (resolution.kind === 'ambiguous' && resolution.joint !== undefined) {
    return `names ${resolution.meanings.join(' and ')}; send one of them.`;
  }
  if (resolution.kind !== 'unknown' || resolution.part === undefined) return undefined;
  const meanings = resolution.part.names.join(' or ');
  return `names ${meanings} with the unknown detail ${describe(resolution.part.detail)}; send ${meanings}.`;
}
