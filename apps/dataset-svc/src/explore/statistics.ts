import type { Filter } from '@esd/record/filter/filter';
import type { Feature, FeatureKeys } from '@esd/record/filter/filter-keys';
import { FIRST_NUMBER, type NumberColumn } from '../read-index/coded-column.ts';
import { distributionOf } from '../read-index/distribution.ts';
import { matchingRows, type Reading } from '../read-index/matching-rows.ts';
import { inSteps, takeTurns } from '../read-index/take-turns.ts';
import { quartilesOfMedians, rowsByPaper } from './by-paper.ts';
import { quantilesOf } from './quantiles.ts';

/** A power of two: dividing by it does not round. */
const LARGE = 2 ** 600;

/**
 * Computes the statistics of features over the matching records. Without values, all figures are null. `perPaper` adds the quartiles of
 * the medians of the papers.
 */
export async function statistics(
  reading: Reading,
  filter: Filter,
  { features, perPaper }: { features: readonly FeatureKeys[]; perPaper?: boolean | undefined },
) {
  const rows = await matchingRows(reading, filter);
  const papers = perPaper ? await rowsByPaper(reading.columns, rows) : undefined;
  const figures: Partial<Record<Feature, Figures>> = {};
  for (const { feature, unit } of features) {
    const column = reading.columns.features[feature];
    figures[feature] = {
      unit,
      ...(await statisticsOf(column, rows)),
      ...(papers && { perPaper: await perPaperOf(column, papers) }),
    };
  }
  return { total: rows.length, statistics: figures };
}

type Figures = Awaited<ReturnType<typeof statisticsOf>> & {
  unit: string;
  perPaper?: Awaited<ReturnType<typeof perPaperOf>>;
};

async function perPaperOf(column: NumberColumn, papers: readonly Int32Array[]) {
  const medians: number[] = [];
  for (const own of papers) {
    const [median] = quantilesOf(await distributionOf(column, own), [0.5]);
    if (median !== null) medians.push(median);
    await takeTurns();
  }
  return quartilesOfMedians(medians);
}

async function statisticsOf(column: NumberColumn, rows: Int32Array) {
  const distribution = await distributionOf(column, rows);
  const { count, missing, notConvertible } = distribution;
  const [min, q05, q25, median, q75, q95, max] = quantilesOf(distribution, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]);
  const figures = { min, q05, q25, median, q75, q95, max, ...(await moments(column, rows, count)) };
  return { count, missing, notConvertible, ...figures };
}

interface Moments {
  mean: number | null;
  /** The sample standard deviation (n − 1); null for fewer than two values. */
  standardDeviation: number | null;
}

/**
 * Computes mean and sample standard deviation in the order of the rows, in two passes: the differences from the first mean also correct
 * it. If a sum is infinite, computes again with the values divided by a large `scale`.
 */
async function moments(column: NumberColumn, rows: Int32Array, count: number, scale = 1): Promise<Moments> {
  if (count === 0) return { mean: null, standardDeviation: null };
  const factor = 1 / scale;
  const sums = { values: 0, differences: 0, squares: 0 };
  await inSteps(rows, (part) => {
    addValues(sums, column, part, factor);
  });
  const near = sums.values / count;
  await inSteps(rows, (part) => {
    addDifferences(sums, column, part, factor, near);
  });
  const { differences, squares } = sums;
  // The squares of numbers near the largest double are infinite.
  if (!Number.isFinite(squares) && scale === 1) return moments(column, rows, count, LARGE);
  const variance = count < 2 ? null : Math.max(0, squares - (differences * differences) / count) / (count - 1);
  return {
    mean: (near + differences / count) * scale,
    standardDeviation: variance === null ? null : Math.sqrt(variance) * scale,
  };
}

interface Sums {
  values: number;
  differences: number;
  squares: number;
}

function addValues(sums: Sums, { codes, values }: NumberColumn, rows: Int32Array, factor: number): void {
  let sum = sums.values;
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    if (code >= FIRST_NUMBER) sum += (values[code] ?? 0) * factor;
  }
  sums.values = sum;
}

function addDifferences(
  sums: Sums,
  { codes, values }: NumberColumn,
  rows: Int32Array,
  factor: number,
  near: number,
): void {
  let { differences, squares } = sums;
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    if (code < FIRST_NUMBER) continue;
    const difference = (values[code] ?? 0) * factor - near;
    differences += difference;
    squares += difference * difference;
  }
  sums.differences = differences;
  sums.squares = squares;
}
