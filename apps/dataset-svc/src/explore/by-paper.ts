import type { Columns } from '../read-index/columns.ts';
import { sortNumbers } from '../read-index/distribution.ts';
import { groupRows } from './group-rows.ts';
import { quantilesOf } from './quantiles.ts';

/** Groups rows by the value of `doi`. All rows without one form one paper. Omits papers without rows. */
export async function rowsByPaper({ terms: { doi } }: Columns, rows: Int32Array): Promise<Int32Array[]> {
  const { codes, codeEnd } = doi;
  const papers = await groupRows(rows, (slot) => codes[slot] ?? 0, codeEnd);
  return papers.filter(({ length }) => length > 0);
}

export function medianOf(numbers: readonly number[]): number | null {
  return quantilesOf(sortNumbers(Float64Array.from(numbers)), [0.5])[0];
}

/** Computes the quartiles of the medians of papers. Null without a median. */
export function quartilesOfMedians(medians: readonly number[]) {
  const [q25, median, q75] = quantilesOf(sortNumbers(Float64Array.from(medians)), [0.25, 0.5, 0.75]);
  return { papers: medians.length, q25, median, q75 };
}
