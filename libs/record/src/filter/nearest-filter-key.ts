import { categoryKeys, features, filterKeys, rangeKeys, recordFeatures, textKeys } from './filter-keys.ts';
import type { FeatureKeys, RangeKeys } from './filter-keys.ts';
import { editDistance } from '../validate/nearest-names.ts';

/** Exceeds the length of every known spelling. */
const MAX_MISTAKES = 60;
/** Minimum letters of a text for which containment outranks edit distance. */
const SHORTEST_PART = 4;

/** Reduces a text to lower-case letters and digits, the form in which spellings are compared. */
export const plainSpelling = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
const lastMember = (path: string): string => path.replace(/^.*\./, '');

const spellingsOf = (name: string, { min, max }: Pick<FeatureKeys, 'min' | 'max'>) =>
  [
    [plainSpelling(name), [min, max]],
    [plainSpelling(`${name}Min`), [min]],
    [plainSpelling(`${name}Max`), [max]],
    [plainSpelling(`min${name}`), [min]],
    [plainSpelling(`max${name}`), [max]],
  ] as const;

type Spelling = readonly [spelling: string, keys: readonly string[]];

/** The members and columns that text keys filter. */
export const textNames = textKeys.flatMap(({ key, path, column }) =>
  [lastMember(path), column].map((name) => [name, key] as const),
);
/** The features, and the members and columns that they compare. */
export const rangeNames: readonly (readonly [name: string, keys: RangeKeys])[] = [
  ...rangeKeys.map((keys) => [keys.feature, keys] as const),
  ...recordFeatures.flatMap((keys) => [lastMember(keys.path), keys.column].map((name) => [name, keys] as const)),
];

const textSpellings: readonly Spelling[] = textNames.map(([name, key]) => [plainSpelling(name), [key]]);
/** Spellings of the filter keys, and of the fields and columns that they filter. */
const filterKeySpellings: readonly Spelling[] = [
  ...filterKeys.map((key) => [plainSpelling(key), [key]] as const),
  ...textSpellings,
  ...rangeNames.flatMap(([name, keys]) => spellingsOf(name, keys)),
];

const nameSpellings: readonly Spelling[] = [
  ...[...categoryKeys, ...features.map(({ feature }) => feature)].map((name) => [plainSpelling(name), [name]] as const),
  ...textSpellings,
  ...recordFeatures.flatMap(({ feature, path, column }) =>
    [lastMember(path), column].map((spelling) => [plainSpelling(spelling), [feature]] as const),
  ),
];

/** Returns the valid key nearest to an unknown one, or both keys of a range if only its feature is named. */
export function nearestFilterKeys(unknown: string): readonly string[] {
  return closestSpelling(unknown, filterKeySpellings) ?? [];
}

export function nearestName(unknown: string, names: readonly string[]): string {
  const among = nameSpellings.filter(([, [name = '']]) => names.includes(name));
  const exact = names.map((name): Spelling => [plainSpelling(name), [name]]);
  return closestSpelling(unknown, [...among, ...exact])?.[0] ?? '';
}

/** Returns the meaning of the spelling nearest to a text. Known spellings must be plain (see `plainSpelling`). */
export function closestSpelling<Meaning>(
  unknown: string,
  spellings: readonly (readonly [spelling: string, meaning: Meaning])[],
): Meaning | undefined {
  const plain = plainSpelling(unknown);
  let best: { meaning?: Meaning; rank: number } = { rank: Infinity };
  for (const [spelling, meaning] of spellings) {
    const [short, long] = plain.length < spelling.length ? [plain, spelling] : [spelling, plain];
    const contained = short.length >= SHORTEST_PART && long.includes(short);
    const distance = editDistance(plain, spelling, MAX_MISTAKES) ?? MAX_MISTAKES;
    const rank = contained ? distance : distance + MAX_MISTAKES;
    if (rank < best.rank) best = { meaning, rank };
  }
  return best.meaning;
}
