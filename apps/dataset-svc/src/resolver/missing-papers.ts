import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { byCodePoint } from '@esd/record/filter/text-order';
import type { Kysely } from 'kysely';
import { countCodes } from '../read-index/distribution.ts';
import { matchingRows } from '../read-index/matching-rows.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import type { Tables } from '../tables.ts';

/** A paper of the latest dataset that has no entry, with its lookups at the resolver. */
export interface MissingPaper {
  doi: string;
  records: number;
  attempts: number;
  lastAt: Date | undefined;
  nextAt: Date | undefined;
  problem: string | undefined;
}

/** Lists the papers of the latest dataset that have no entry, ordered by DOI. Throws as the index does. */
export async function papersWithoutEntry(
  readIndex: Pick<ReadIndex, 'ask'>,
  atLeast?: DatasetRevision,
): Promise<Pick<MissingPaper, 'doi' | 'records'>[]> {
  const { answer } = await readIndex.ask({ atLeast }, async (index) => {
    const { columns, dictionary, papers, state } = index;
    const counts = await countCodes(columns.terms.doi, await matchingRows(index, []));
    return dictionary.setsOf('doi').flatMap(({ id, terms: [doi = ''] }) => {
      const records = counts[id] ?? 0;
      return records === 0 || papers.valuesAt(doi, state.revision) ? [] : [{ doi, records }];
    });
  });
  return answer.sort((a, b) => byCodePoint(a.doi, b.doi));
}

/** Returns a page of the papers without an entry, with the total number. */
export async function missingPapers(
  database: Kysely<Tables>,
  readIndex: Pick<ReadIndex, 'ask'>,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ papers: MissingPaper[]; total: number }> {
  const all = await papersWithoutEntry(readIndex);
  const page = all.slice(skip, skip + limit);
  const dois = page.map(({ doi }) => doi);
  const rows =
    dois.length === 0 ? [] : await database.selectFrom('paper_lookup').selectAll().where('doi', 'in', dois).execute();
  const lookups = new Map(rows.map((row) => [row.doi, row]));
  const papers = page.map(({ doi, records }) => {
    const lookup = lookups.get(doi);
    return {
      doi,
      records,
      attempts: lookup?.attempts ?? 0,
      lastAt: lookup?.last_at,
      nextAt: lookup?.next_at ?? undefined,
      problem: lookup?.problem ?? undefined,
    };
  });
  return { papers, total: all.length };
}
