import type { CategoryKey, Feature } from '../filter/filter-keys.ts';

export interface SearchCondition {
  readonly key: CategoryKey | Feature;
  /** The display name of the key, such as "Polymer". */
  readonly name: string;
  /** The condition in words, such as "PVDF" or "< 500 nm". */
  readonly value: string;
  /** The members of a filter, as in `{"polymer":"=PVDF"}`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The interpretation of a part of a search text: one condition, a choice of several, or none. */
export type SearchPart =
  | { readonly kind: 'condition'; readonly condition: SearchCondition }
  | { readonly kind: 'choice'; readonly options: readonly SearchCondition[] }
  | { readonly kind: 'left out'; readonly why: string; readonly near?: readonly string[] };

export interface ReadPart {
  readonly length: number;
  readonly part: SearchPart;
}

/** Returns a condition for one option, a choice for several. `options` must not be empty. */
export function partOf(options: readonly SearchCondition[]): SearchPart {
  const [condition, ...others] = options;
  if (condition === undefined || others.length > 0) return { kind: 'choice', options };
  return { kind: 'condition', condition };
}
