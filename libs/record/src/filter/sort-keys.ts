import { describe } from '../validate/problems.ts';
import { features, recordFeatures } from './filter-keys.ts';
import type { Feature } from './filter-keys.ts';
import { closestSpelling, plainSpelling } from './nearest-filter-key.ts';

/** What records can be sorted by beside their features; `publishedAt`: when the revision that is shown was approved. */
const OTHERS = ['recordId', 'doi', 'publishedAt'] as const;

export type SortKeyName = Feature | (typeof OTHERS)[number];

export interface SortKey {
  readonly key: SortKeyName;
  readonly descending: boolean;
}

/** Every key by which records can be sorted. */
export const sortKeyNames: readonly SortKeyName[] = [...OTHERS, ...features.map(({ feature }) => feature)];

const MAX_KEYS = 3;

const spellings: readonly (readonly [spelling: string, key: SortKeyName])[] = [
  ...sortKeyNames.map((key) => [plainSpelling(key), key] as const),
  ...recordFeatures.flatMap(({ feature, path, column }) =>
    [path.replace(/^.*\./, ''), column].map((spelling) => [plainSpelling(spelling), feature] as const),
  ),
];

/** The sort key of that name; undefined for an unknown name. */
export function sortKeyOf(name: string): SortKeyName | undefined {
  return sortKeyNames.find((key) => key === name);
}

/**
 * Reads keys with commas between them, a `-` before each that is to be descending. A problem is the rest of a sentence that begins
 * with the name of the parameter.
 */
export function parseSort(text: string): { sort: readonly SortKey[] } | { problem: string } {
  const names = text.split(',');
  if (names.length > MAX_KEYS) return { problem: `must have at most ${MAX_KEYS} keys` };
  const sort: SortKey[] = [];
  for (const name of names) {
    const descending = name.startsWith('-');
    const bare = descending ? name.slice(1) : name;
    const key = sortKeyOf(bare);
    if (key === undefined) {
      if (bare === '') return { problem: `must not have an empty key (known: ${sortKeyNames.join(', ')})` };
      const near = closestSpelling(bare, spellings) ?? sortKeyNames[0];
      return { problem: `must have known keys only (${describe(bare)} is not one; nearest: "${near}")` };
    }
    if (sort.some((before) => before.key === key)) return { problem: `must have each key once and has "${key}" twice` };
    sort.push({ key, descending });
  }
  return { sort };
}

/** A text that is equal for the same order, for caches and entity tags. */
export function sortText(sort: readonly { key: string; descending: boolean }[]): string {
  return sort.map(({ key, descending }) => `${descending ? '-' : ''}${key}`).join();
}
