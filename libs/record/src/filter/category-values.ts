import { ownName, type References, resolveName } from '../reference/reference.ts';
import { entryOfValue } from '../reference/substance-names.ts';
import { systemOf, systemOfText } from '../reference/systems.ts';
import type { ValueCondition } from './filter.ts';
import { type CategoryKey, isPaperKey, isSystemKey, type PaperKey, systemNames, type TextKey } from './filter-keys.ts';
import { paperText, type PaperValues } from './paper-values.ts';
import { jointNames, type RecordTerms } from './text-terms.ts';

const LISTS = {
  polymer: 'polymers',
  solvent: 'solvents',
  morphology: 'morphologies',
  instability: 'instabilities',
} as const satisfies Partial<Record<TextKey, keyof References['indexes']>>;

export function isListed(key: CategoryKey): key is keyof typeof LISTS {
  return Object.hasOwn(LISTS, key);
}

/** Returns the value of a term of a record (see `recordTerms`): the name of the entry that it counts as, or the term if it is in no list. */
export function categoryValue(key: TextKey | PaperKey, term: string, references: References): string {
  if (key === 'polymer' || key === 'solvent') return entryOfValue(references, key, term)?.name ?? term;
  if (!isListed(key)) return term;
  const list = LISTS[key];
  const resolution = resolveName(references, list, term);
  return resolution.kind === 'found' ? ownName(list, resolution.entry) : term;
}

/** Returns the values of a condition as records have them: names as the lists spell them, also those that `&` joins. */
export function exactValues({ key, values }: ValueCondition, references: References): readonly string[] {
  if (key === 'isFormationStable') return values;
  const exactValue = (value: string): string =>
    isSystemKey(key)
      ? systemOfText(references, systemNames[key], value)
      : jointNames(key, value, references)
          .map((name) => categoryValue(key, name, references))
          .join(' & ');
  return [...new Set(values.map(exactValue))];
}

/** Returns a function that tells whether the values of a record satisfy a condition: one of its values, or all names that `&` joins. */
export function valuesMatcher(
  condition: ValueCondition,
  references: References,
): (recordValues: readonly string[]) => boolean {
  const exact = new Set(exactValues(condition, references));
  if (exact.size === 0) return (recordValues) => recordValues.length === 0;
  const joint = [...exact]
    .map((value) => jointNames(condition.key, value, references))
    .filter(({ length }) => length > 1);
  return (recordValues) =>
    recordValues.some((value) => exact.has(value)) ||
    joint.some((names) => names.every((name) => recordValues.includes(name)));
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
  if (isSystemKey(key)) {
    const names = values.terms[systemNames[key]];
    return names.length === 0 ? [] : [systemOf(references, systemNames[key], names)];
  }
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
