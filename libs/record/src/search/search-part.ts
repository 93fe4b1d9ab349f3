import type { CategoryKey, Feature } from '../filter/filter-keys.ts';

/** A condition that a part of a search stands for. */
export interface SearchCondition {
  readonly key: CategoryKey | Feature;
  /** What people call the key, such as "Polymer". */
  readonly name: string;
  /** The condition in words, such as "PVDF" or "< 500 nm". */
  readonly value: string;
  /** Members of a filter, as in `{"polymer":"=PVDF"}`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** How a part of a search is read: one condition, several of which a person has to choose one, or none. */
export type SearchPart =
  | { readonly kind: 'condition'; readonly condition: SearchCondition }
  | { readonly kind: 'choice'; readonly options: readonly SearchCondition[] }
  | { readonly kind: 'left out'; readonly why: string; readonly near?: readonly string[] };

/** A part of a text that was read, and how many of its characters that was. */
export interface ReadPart {
  readonly length: number;
  readonly part: SearchPart;
}

/** One reading is the condition, several are a choice. `options` holds at least one. */
export function partOf(options: readonly SearchCondition[]): SearchPart {
  const [condition, ...others] = options;
  if (condition === undefined || others.length > 0) return { kind: 'choice', options };
  return { kind: 'condition', condition };
}
