import { features, filterKeys, recordFeatures, textKeys } from './filter-keys.ts';
import type { FeatureKeys } from './filter-keys.ts';
import { editDistance } from '../validate/nearest-names.ts';

/** Most mistakes that are counted; no known spelling is longer. */
const MAX_MISTAKES = 60;
/** A spelling that contains the other goes first, from this many letters on. */
const SHORTEST_PART = 4;

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
const lastMember = (path: string): string => path.replace(/^.*\./, '');

const spellingsOf = (name: string, { min, max }: Pick<FeatureKeys, 'min' | 'max'>) =>
  [
    [plain(name), [min, max]],
    [plain(`${name}Min`), [min]],
    [plain(`${name}Max`), [max]],
    [plain(`min${name}`), [min]],
    [plain(`max${name}`), [max]],
  ] as const;

/** Spellings that somebody may use, and the keys that they should have used. */
const spellings: readonly (readonly [spelling: string, keys: readonly string[]])[] = [
  ...filterKeys.map((key) => [plain(key), [key]] as const),
  ...textKeys.flatMap(({ key, path, column }) =>
    [lastMember(path), column].map((spelling) => [plain(spelling), [key]] as const),
  ),
  ...features.flatMap((keys) => spellingsOf(keys.feature, keys)),
  ...recordFeatures.flatMap((keys) => [lastMember(keys.path), keys.column].flatMap((name) => spellingsOf(name, keys))),
];

/** The valid key that an unknown one comes nearest to, or both keys of a range where its feature alone was named. */
export function nearestFilterKeys(unknown: string): readonly string[] {
  const wanted = plain(unknown);
  let best: { keys: readonly string[]; rank: number } = { keys: [], rank: Infinity };
  for (const [spelling, keys] of spellings) {
    const [short, long] = wanted.length < spelling.length ? [wanted, spelling] : [spelling, wanted];
    const contained = short.length >= SHORTEST_PART && long.includes(short);
    const distance = editDistance(wanted, spelling, MAX_MISTAKES) ?? MAX_MISTAKES;
    const rank = contained ? distance : distance + MAX_MISTAKES;
    if (rank < best.rank) best = { keys, rank };
  }
  return best.keys;
}
