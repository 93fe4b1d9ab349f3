import type { Filter } from '@esd/record/filter/filter';
import { LRUCache } from 'lru-cache';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import { findPage, type PageRequest } from '../read-index/find-page.ts';
import { findSlot, type Reading } from '../read-index/matching-rows.ts';
import type { ReadIndex, WantedState } from '../read-index/read-index.ts';
import { stoppable } from '../read-index/take-turns.ts';
import type { PaperReads } from './paper-reads.ts';
import { answerTo, type Bodies, type Question } from './answers.ts';

/** Questions about the matching records, a page of results, and records by their ids; see ExploreRequest. */
export interface Exploration extends WantedState {
  filter: Filter;
  version: string;
  questions: readonly Question[];
  records?: Pick<PageRequest, 'skip' | 'limit' | 'sort'> | undefined;
  recordIds: readonly number[];
  /** The row ids of a public query, which replace the rows of the filter. */
  rowIds?: Int32Array | undefined;
}

export interface Explored {
  state: DatasetState;
  total: number;
  /** JSON in UTF-8, in the order of the questions. */
  answersJson: Buffer[];
  rowIds: number[];
  /** The row ids of the requested records that are public at the state. */
  chosenRowIds: number[];
}

export interface Explorer {
  /** Answers at one state and stops at the next slice when the signal aborts. Throws INVALID_PARAMETER, RECORD_NOT_FOUND, and like the read index. */
  explore(exploration: Exploration, signal: AbortSignal): Promise<Explored>;
}

const CACHE_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 500;

/** Opens the explorer. Answers over all records are cached by dataset revision. */
export function openExplorer(index: Pick<ReadIndex, 'ask'>, bodies: Bodies, papers: PaperReads): Explorer {
  const cache = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (json, key) => json.length + key.length + ENTRY_BYTES,
  });
  const answer = async (
    reading: Reading,
    { filter, version, rowIds }: Exploration,
    question: Question,
  ): Promise<Buffer> => {
    const { once = reading.once } = question;
    const context = { reading: { ...reading, once }, bodies, papers, filter, version, rowIds };
    if (filter.length > 0 || rowIds) return answerTo(question, context);
    const { datasetId, revision } = reading.state;
    const key = JSON.stringify([datasetId, revision, once, version, question]);
    const cached = cache.get(key);
    if (cached) return cached;
    const made = await answerTo(question, context);
    cache.set(key, made);
    return made;
  };
  return {
    explore: async (exploration, signal) => {
      const { filter, questions, records = { skip: 0, limit: 0 }, recordIds } = exploration;
      const answerAll = async (reading: Reading) => {
        const answersJson: Buffer[] = [];
        for (const question of questions) {
          answersJson.push(await answer(reading, exploration, question));
        }
        const { total, rowIds } = await findPage(reading, { filter, ...records });
        const slots = await Promise.all(recordIds.map((recordId) => findSlot(reading, recordId)));
        const chosenRowIds = slots.flatMap((slot) => (slot === undefined ? [] : (reading.columns.rowId[slot] ?? [])));
        return { answersJson, total, rowIds, chosenRowIds };
      };
      const { state, answer: explored } = await stoppable(signal, () => index.ask(exploration, answerAll));
      return { state, ...explored };
    },
  };
}
