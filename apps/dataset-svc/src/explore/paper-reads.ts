import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { paperTitle } from '@esd/record/metadata/describe-record';
import { type Kysely, sql } from 'kysely';
import type { BodyStore } from '../bodies/body-store.ts';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { findPapersOf, type PaperEntry } from '../reference/paper.store.ts';

/** A paper by its code in the column `doi`. */
export interface CodedPaper {
  code: number;
  doi: string;
}

/** The facts of a paper at a state: those of its entry, or else the title that its records give. */
export type KnownPaper = Partial<Omit<PaperEntry, 'source'>> & { source: PaperEntry['source'] | 'records' | null };

export interface PaperReads {
  /** Returns what is known about papers at a state, in their order; with `newest`, from the newest entries. */
  find(
    state: Pick<DatasetState, 'datasetId' | 'revision'>,
    papers: readonly CodedPaper[],
    newest?: boolean,
  ): Promise<KnownPaper[]>;
}

const NEWEST = Number.MAX_SAFE_INTEGER;

/** Reads the entries of papers. A paper without an entry has the title from its lowest-id record that gives one. */
export function openPaperReads(database: Kysely<Tables>, bodies: Pick<BodyStore, 'find'>): PaperReads {
  return {
    find: async ({ datasetId, revision }, papers, newest = false) => {
      if (papers.length === 0) return [];
      const entries = await findPapersOf(
        database,
        papers.map(({ doi }) => doi),
        newest ? NEWEST : revision,
      );
      const others = papers.filter(({ doi }) => !entries.has(doi)).map(({ code }) => code);
      const titled = others.length === 0 ? [] : await rowsWithTitle(database, others, revision);
      const read =
        titled.length === 0
          ? []
          : await bodies.find(
              datasetId,
              titled.map(({ rowId }) => rowId),
            );
      const titles = new Map(
        titled.map(({ code }, at) => [code, paperTitle(parsePublicRecord(String(read[at])).data)] as const),
      );
      return papers.map(({ code, doi }): KnownPaper => {
        const entry = entries.get(doi);
        if (entry) return entry;
        const title = titles.get(code);
        return title === undefined ? { source: null } : { title, source: 'records' };
      });
    },
  };
}

/** Finds for each paper the row of the lowest-id record that gives its title. */
async function rowsWithTitle(
  database: Kysely<Tables>,
  codes: readonly number[],
  revision: number,
): Promise<{ code: number; rowId: number }[]> {
  const rows = await database
    .selectFrom('index_row')
    .distinctOn('doi')
    .select(['doi as code', 'row_id as rowId'])
    .where('has_title', '=', true)
    .where('doi', '=', sql<number>`any(${codes})`)
    .where('valid_from', '<=', revision)
    .where((on) => on.or([on('valid_to', 'is', null), on('valid_to', '>', revision)]))
    .orderBy('doi')
    .orderBy('record_id')
    .execute();
  return rows.flatMap(({ code, rowId }) => (code === null ? [] : [{ code, rowId }]));
}
