import { filterKey } from '@esd/record/filter/filter';
import { sortText } from '@esd/record/filter/sort-keys';
import { LRUCache } from 'lru-cache';
import type { Found, Question, ReadIndex } from './read-index.ts';

/** Pages of at most a thousand row ids each. */
const MAX_KEPT = 64;

interface Kept {
  skip: number;
  found: Found;
}

/**
 * Finds pages, and the rest of a sorted one without a second search: who reads records that do not fit one message asks for
 * those after the ones that came, at the same state. `keep` is told of a page of which not all was sent.
 */
export function foundPages(index: Pick<ReadIndex, 'find'>) {
  const kept = new LRUCache<string, Kept>({ max: MAX_KEPT });
  const keyOf = ({ filter, sort = [], skip, limit }: Question, revision: number): string =>
    JSON.stringify([revision, filterKey(filter), sortText(sort), skip + limit]);
  return {
    find: async (question: Question): Promise<Found> => {
      const { revision, skip } = question;
      const known = revision === undefined ? undefined : kept.get(keyOf(question, revision));
      if (!known || skip < known.skip) return index.find(question);
      return { ...known.found, rowIds: known.found.rowIds.slice(skip - known.skip) };
    },
    keep: (question: Question, found: Found): void => {
      if ((question.sort ?? []).length === 0) return;
      kept.set(keyOf(question, found.state.revision), { skip: question.skip, found });
    },
  };
}
