import type { Filter } from '@esd/record/filter/filter';
import type { NamedSubstance } from '@esd/record/reference/substance-names';
import { type PaperSummary, summarizePaper } from '@esd/record/papers/paper';
import { LRUCache } from 'lru-cache';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import { findPageRows, type PageRequest, rowIdsOf } from '../read-index/find-page.ts';
import { findSlot, type IndexAtState } from '../read-index/matching-rows.ts';
import type { ReadIndex, WantedState } from '../read-index/read-index.ts';
import { type LogPosition, newestRows } from './newest-rows.ts';
import { namedSubstances } from './substance-lines.ts';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import { sharedWork, stoppable } from '../read-index/slices.ts';
import { categoryOf } from './categories.ts';
import type { CodedPaper, PaperReads } from './paper-reads.ts';
import { answerTo, type Bodies, type Question } from './answers.ts';

/** Questions about the matching records, a page of results, and records by their ids; see ExploreRequest. `once` applies to the answers. */
export interface Exploration extends WantedState {
  filter: Filter;
  version: string;
  questions: readonly Question[];
  records?: (Pick<PageRequest, 'skip' | 'limit' | 'sort'> & { before?: LogPosition | undefined }) | undefined;
  recordIds: readonly number[];
  /** The row ids of a public query, which replace the rows of the filter. */
  rowIds?: Int32Array | undefined;
  /** Whether to return the facts of the papers that the answers and the records name. */
  papers?: boolean | undefined;
  /** Whether to return the names of the polymers and solvents. */
  names?: boolean | undefined;
}

export interface Explored {
  state: DatasetState;
  total: number;
  /** JSON in UTF-8, in the order of the questions. */
  answersJson: Buffer[];
  rowIds: number[];
  /** Whether rows follow those of a page with `before`; false for other pages. */
  hasMore: boolean;
  /** The row ids of the requested records that are public at the state. */
  chosenRowIds: number[];
  /** From the newest entries of the list of papers. Undefined unless requested. */
  papers: PaperSummary[] | undefined;
  /** Undefined unless requested. */
  names: NamedSubstance[] | undefined;
}

/** An answer as JSON in UTF-8, and the papers that it names. */
interface Answer {
  json: Buffer;
  dois: readonly string[];
}

export interface Explorer {
  /** Answers at one state and stops at the next slice when the signal aborts. Throws INVALID_PARAMETER, RECORD_NOT_FOUND, and like the read index. */
  explore(exploration: Exploration, signal: AbortSignal): Promise<Explored>;
}

const CACHE_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 500;

/** Opens the explorer. Answers over all records are cached by dataset revision. */
export function openExplorer(readIndex: Pick<ReadIndex, 'ask'>, bodies: Bodies, papers: PaperReads): Explorer {
  const cache = new LRUCache<string, Answer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ json, dois }, key) => json.length + dois.join().length + key.length + ENTRY_BYTES,
  });
  const running = new SharedCalls<Answer>();
  const answer = async (
    index: IndexAtState,
    { filter, version, rowIds }: Exploration,
    question: Question,
  ): Promise<Answer> => {
    const make = async (): Promise<Answer> => {
      const dois = new Set<string>();
      const json = await answerTo(question, { index, bodies, papers, filter, version, rowIds, dois });
      return { json, dois: [...dois] };
    };
    if (filter.length > 0 || rowIds) return make();
    const { datasetId, revision } = index.state;
    const key = JSON.stringify([datasetId, revision, index.once, version, question]);
    const cached = cache.get(key);
    if (cached) return cached;
    return sharedWork(running, key, async () => {
      const made = await make();
      cache.set(key, made);
      return made;
    });
  };
  return {
    explore: async (exploration, signal) => {
      const { filter, questions, recordIds } = exploration;
      const records: NonNullable<Exploration['records']> = exploration.records ?? { skip: 0, limit: 0 };
      const answerAll = async (index: IndexAtState) => {
        const answers: Answer[] = [];
        for (const question of questions) answers.push(await answer(index, exploration, question));
        const { before, ...page } = records;
        const listed = { ...index, once: false };
        const { total, rows, hasMore } = before
          ? await newestRows(listed, filter, before, page.limit)
          : { ...(await findPageRows(listed, { filter, ...page })), hasMore: false };
        const chosen = await Promise.all(recordIds.map((recordId) => findSlot(index, recordId)));
        const chosenRows = Int32Array.from(chosen.filter((slot) => slot !== undefined));
        const dois = new Set(answers.flatMap((one) => one.dois));
        return {
          answersJson: answers.map(({ json }) => json),
          total,
          rowIds: [...rowIdsOf(index.columns, rows)],
          hasMore,
          chosenRowIds: [...rowIdsOf(index.columns, chosenRows)],
          names: exploration.names ? await namedSubstances(index) : undefined,
          papers: exploration.papers ? await summariesOf(index, dois, [...rows, ...chosenRows], papers) : undefined,
        };
      };
      const { state, answer: explored } = await stoppable(signal, () => readIndex.ask(exploration, answerAll));
      return { state, ...explored };
    },
  };
}

/** Summarizes papers by their values of `doi`, and those of rows, ordered as in the category. */
async function summariesOf(
  index: IndexAtState,
  dois: ReadonlySet<string>,
  rows: readonly number[],
  reads: PaperReads,
): Promise<PaperSummary[]> {
  const { column, values, valuesOf } = await categoryOf(index, 'doi');
  const ofRows = new Set(rows.map((slot) => column.codes[slot]));
  const coded: CodedPaper[] = [];
  for (let code = 0; code < column.codeEnd; code += 1) {
    const doi = values[valuesOf[code]?.[0] ?? -1];
    if (doi !== undefined && (ofRows.has(code) || dois.has(doi))) coded.push({ code, doi });
  }
  const paperFacts = await reads.find(index.state, coded, true);
  return coded.map(({ doi }, at) => summarizePaper({ ...paperFacts[at], doi }));
}
