import type { Filter } from '@esd/record/filter/filter';
import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import type { NumberColumn } from '../read-index/coded-column.ts';
import { distributionOf, type SortedNumbers } from '../read-index/distribution.ts';
import { type IndexAtState, matchingRows, totalsOf } from '../read-index/matching-rows.ts';
import { yieldAfterSlice } from '../read-index/slices.ts';
import { quartilesOfMedians, rowsByPaper } from './by-paper.ts';
import { quantilesOf } from './quantiles.ts';

/** A power of two: dividing by it does not round. */
const LARGE = 2 ** 600;

/**
 * Computes the statistics of features over the matching records. Without values, all figures are null. `perPaper` adds the quartiles of
 * the medians of the papers.
 */
export async function statistics(
  index: IndexAtState,
  filter: Filter,
  { features, perPaper }: { features: readonly FeatureKeys[]; perPaper?: boolean | undefined },
) {
  const rows = await matchingRows(index, filter);
  const papers = perPaper ? await rowsByPaper(index.columns, rows) : undefined;
  const figures: Partial<Record<Feature, Figures>> = {};
  for (const { feature, unit } of features) {
    const column = index.columns.features[feature];
    figures[feature] = {
      unit,
      ...(await statisticsOf(column, rows)),
      ...(papers && { perPaper: await perPaperOf(column, papers) }),
    };
  }
  return { ...(await totalsOf(index, rows)), statistics: figures };
}

type Figures = Awaited<ReturnType<typeof statisticsOf>> & {
  unit: string;
  perPaper?: Awaited<ReturnType<typeof perPaperOf>>;
};

async function perPaperOf(column: NumberColumn, papers: readonly Int32Array[]) {
  const medians: number[] = [];
  for (const slots of papers) {
    const [median] = quantilesOf(await distributionOf(column, slots), [0.5]);
    if (median !== null) medians.push(median);
    await yieldAfterSlice();
  }
  return quartilesOfMedians(medians);
}

async function statisticsOf(column: NumberColumn, rows: Int32Array) {
  const distribution = await distributionOf(column, rows);
  const { count, missing, notConvertible } = distribution;
  const [min, q05, q25, median, q75, q95, max] = quantilesOf(distribution, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]);
  const figures = { min, q05, q25, median, q75, q95, max, ...moments(distribution) };
  return { count, missing, notConvertible, ...figures };
}

interface Moments {
  mean: number | null;
  /** The sample standard deviation (n − 1); null for fewer than two values. */
  standardDeviation: number | null;
}

/**
 * Computes mean and sample standard deviation in ascending order of the values, in two passes: the differences from the first mean also
 * correct it. If a sum is infinite, computes again with the values divided by a large `scale`.
 */
function moments({ values, counts, count }: SortedNumbers, scale = 1): Moments {
  if (count === 0) return { mean: null, standardDeviation: null };
  const factor = 1 / scale;
  let [sum, differences, squares] = [0, 0, 0];
  for (let at = 0, end = values.length; at < end; at += 1) sum += (values[at] ?? 0) * factor * (counts[at] ?? 0);
  const near = sum / count;
  for (let at = 0, end = values.length; at < end; at += 1) {
    const difference = (values[at] ?? 0) * factor - near;
    differences += difference * (counts[at] ?? 0);
    squares += difference * difference * (counts[at] ?? 0);
  }
  // The squares of numbers near the largest double are infinite.
  if (!Number.isFinite(squares) && scale === 1) return moments({ values, counts, count }, LARGE);
  const variance = count < 2 ? null : Math.max(0, squares - (differences * differences) / count) / (count - 1);
  return {
    mean: (near + differences / count) * scale,
    standardDeviation: variance === null ? null : Math.sqrt(variance) * scale,
  };
}
