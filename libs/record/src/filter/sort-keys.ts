import { describe } from '../validate/problems.ts';
import { features, recordFeatures } from './filter-keys.ts';
import type { Feature } from './filter-keys.ts';
import { closestSpelling, plainSpelling } from './nearest-filter-key.ts';

/** Sort keys in addition to the features. `publishedAt` is the approval time of the public revision. */
const OTHERS = ['recordId', 'doi', 'publishedAt'] as const;

export type SortKeyName = Feature | (typeof OTHERS)[number];

export interface SortKey {
  readonly key: SortKeyName;
  readonly descending: boolean;
}

export const sortKeyNames: readonly SortKeyName[] = [...OTHERS, ...features.map(({ feature }) => feature)];

const MAX_KEYS = 3;

const spellings: readonly (readonly [spelling: string, key: SortKeyName])[] = [
  ...sortKeyNames.map((key) => [plainSpelling(key), key] as const),
  ...recordFeatures.flatMap(({ feature, path, column }) =>
    [path.replace(/^.*\./, ''), column].map((spelling) => [plainSpelling(spelling), feature] as const),
  ),
];

export function sortKeyOf(name: string): SortKeyName | undefined {
  return sortKeyNames.find((key) => key === name);
}

/** Parses comma-separated keys; `-` means descending. The text of a problem follows the name of the parameter in a message. */
export function parseSort(text: string): { sort: readonly SortKey[] } | { problem: string } {
  const names = text.split(',');
  if (names.length > MAX_KEYS) return { problem: `must have at most ${MAX_KEYS} keys` };
  const sort: SortKey[] = [];
  for (const name of names) {
    const descending = name.startsWith('-');
    const bare = descending ? name.slice(1) : name;
    const key = sortKeyOf(bare);
    if (key === undefined) {
      if (bare === '') return { problem: `must not contain an empty key (known: ${sortKeyNames.join(', ')})` };
      const near = closestSpelling(bare, spellings) ?? sortKeyNames[0];
      return { problem: `must contain known keys only (${describe(bare)} is not one; nearest: "${near}")` };
    }
    if (sort.some((before) => before.key === key))
      return { problem: `must have each key once ("${key}" appears more than once)` };
    sort.push({ key, descending });
  }
  return { sort };
}

/** Returns a canonical text for caches and entity tags. */
export function sortText(sort: readonly { key: string; descending: boolean }[]): string {
  return sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join();
}
