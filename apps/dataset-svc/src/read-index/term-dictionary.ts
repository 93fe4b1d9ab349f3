import { filterKey, type TextCondition } from '@esd/record/filter/filter';
import type { TextKey } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';
import { termMatches } from '@esd/record/filter/text-terms';

/** The texts that records hold, as sets with ids; a text condition becomes the ids of the sets that satisfy it. */
export interface TermDictionary {
  /** The highest id known. */
  lastId(): number;
  /** The sets of a key so far, in the order of their ids; it only ever grows. */
  setsOf(key: TextKey): readonly { readonly id: number; readonly terms: readonly string[] }[];
  add(sets: readonly { id: number; field: TextKey; terms: string }[]): void;
  /** Ids of the sets in which some text satisfies the condition, under the lists given. */
  matching(condition: TextCondition, references: References): readonly number[];
}

const MAX_CACHED = 1_000;

export function openTermDictionary(): TermDictionary {
  const sets = new Map<TextKey, { id: number; terms: string[] }[]>();
  // What was found for a condition so far: sets are only ever added, so the search goes on where it ended.
  const remembered = new Map<string, { searched: number; ids: number[] }>();
  let last = 0;
  return {
    lastId: () => last,
    setsOf: (key) => sets.get(key) ?? [],
    add: (added) => {
      for (const { id, field, terms } of added) {
        const held = sets.get(field) ?? [];
        held.push({ id, terms: parseTerms(terms) });
        sets.set(field, held);
        last = Math.max(last, id);
      }
    },
    matching: (condition, references) => {
      const key = `${references.revision} ${filterKey([condition])}`;
      const held = sets.get(condition.key) ?? [];
      const found = remembered.get(key) ?? { searched: 0, ids: [] };
      for (; found.searched < held.length; found.searched += 1) {
        const set = held[found.searched];
        if (set?.terms.some((term) => termMatches(condition, term, references))) found.ids.push(set.id);
      }
      // The one used last goes to the end, the one not used for longest is dropped.
      remembered.delete(key);
      remembered.set(key, found);
      if (remembered.size > MAX_CACHED) {
        const [oldest] = remembered.keys();
        if (oldest !== undefined) remembered.delete(oldest);
      }
      return found.ids;
    },
  };
}

function parseTerms(json: string): string[] {
  const terms: unknown = JSON.parse(json);
  if (!Array.isArray(terms) || !terms.every((term) => typeof term === 'string')) {
    throw new Error(`${json} is no set of texts`);
  }
  return terms;
}
