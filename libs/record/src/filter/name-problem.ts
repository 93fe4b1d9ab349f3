import { type References, resolveName } from '../reference/reference.ts';
import { describe } from '../validate/problems.ts';
import type { Filter } from './filter.ts';
import { termMatcher } from './text-terms.ts';

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
    const list = `${key}s` as const;
    const isText = condition.kind === 'text';
    for (const text of isText ? [condition.text] : condition.values) {
      const problem = textProblem(text, list, references);
      if (problem === undefined) continue;
      if (isText && references.lists[list].map(({ name }) => name).some(termMatcher(condition, references))) continue;
      return { path: key, code: 'INVALID_FILTER', message: `\`${key}\`: The text ${describe(text)} ${problem}` };
    }
  }
  return undefined;
}

function textProblem(text: string, list: 'polymers' | 'solvents', references: References): string | undefined {
  const resolution = resolveName(references, list, text);
  if (resolution.kind === 'ambiguous' && resolution.joint !== undefined) {
    return `names ${resolution.meanings.join(' and ')}; send one of them.`;
  }
  if (resolution.kind !== 'unknown' || resolution.part === undefined) return undefined;
  const names = resolution.part.names.join(' or ');
  return `names ${names} with the unknown detail ${describe(resolution.part.detail)}; send ${names}.`;
}
