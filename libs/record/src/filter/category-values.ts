import { ownName, type References, resolveName } from '../reference/reference.ts';
import type { ValueCondition } from './filter.ts';
import { type CategoryKey, isPaperKey, type PaperKey, type TextKey } from './filter-keys.ts';
import { paperText, type PaperValues } from './paper-values.ts';
import type { RecordTerms } from './text-terms.ts';

const LISTS = {
  polymer: 'polymers',
  solvent: 'solvents',
  morphology: 'morphologies',
  instability: 'instabilities',
} as const satisfies Partial<Record<TextKey, keyof References['indexes']>>;

export function isListed(key: CategoryKey): key is keyof typeof LISTS {
  return Object.hasOwn(LISTS, key);
}

/** Returns the value of a term of a record (see `recordTerms`): the list's own name if the term resolves in its list. */
export function categoryValue(key: TextKey | PaperKey, term: string, references: References): string {
  if (!isListed(key)) return term;
  const list = LISTS[key];
  const resolution = resolveName(references, list, term);
  return resolution.kind === 'found' ? ownName(list, resolution.entry) : term;
}

/** Returns the values of a condition as records have them: names as the lists spell them. */
export function exactValues({ key, values }: ValueCondition, references: References): readonly string[] {
  if (key === 'isFormationStable') return values;
  return [...new Set(values.map((value) => categoryValue(key, value, references)))];
}

/** Returns the values of a record in a category, in the order of its terms. */
export function categoryValues(
  key: CategoryKey,
  values: {
    readonly terms: RecordTerms;
    readonly paper: PaperValues | undefined;
    readonly isFormationStable: boolean | undefined;
  },
  references: References,
): string[] {
  if (key !== 'isFormationStable') return termsOf(key, values).map((term) => categoryValue(key, term, references));
  const { isFormationStable } = values;
  return isFormationStable === undefined ? [] : [isFormationStable ? 'yes' : 'no'];
}

/** Returns the texts of a record by text key, or of its paper. */
export function termsOf(
  key: TextKey | PaperKey,
  { terms, paper }: { readonly terms: RecordTerms; readonly paper: PaperValues | undefined },
): readonly string[] {
  if (!isPaperKey(key)) return terms[key];
  const text = paperText(paper, key);
  return text === undefined ? [] : [text];
}
