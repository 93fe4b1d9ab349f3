import type { FeatureKeys } from '@esd/record/filter/filter-keys';
import { LRUCache } from 'lru-cache';
import { NO_VALUE } from '../read-index/coded-column.ts';
import { SharedCalls } from '@esd/service/rpc/shared-calls';
import { inSteps, sharedWork, yieldAfterSlice } from '../read-index/slices.ts';
import { type IndexAtState, matchingRows } from '../read-index/matching-rows.ts';
import { medianOf } from './by-paper.ts';
import { categoryOf } from './categories.ts';
import { type FeatureScale, featureScale } from './feature-scales.ts';
import { KSmallest } from './k-smallest.ts';
import { MISSING } from './nearest.ts';
import { type Recipe, valuesBut } from './recipe.ts';
import { sampleRows } from './sample.ts';

/** The difference between the measured fiber diameters and those of similar experiments of other papers. */
export interface Reliability {
  polymer: string;
  papers: number;
  records: number;
  /** The median of |ln predicted − ln measured|. */
  medianAbsoluteLogError: number | null;
  /** The factor, at least 1, that 80 % of the errors do not exceed, with equal weight for each paper. Null below five papers. */
  factor80: number | null;
}

const MAX_RECORDS = 2_000;
const LEAST_PAPERS = 3;
const LEAST_PAPERS_OF_FACTOR = 5;
const SHARE_OF_FACTOR = 0.8;
const TOLERANCE = 1e-9;
const MAX_CACHED = 500;
const cache = new LRUCache<string, { reliability: Reliability | null }>({ max: MAX_CACHED });
const running = new SharedCalls<Reliability | null>();

/**
 * Computes the reliability for a recipe with one polymer: predicts the diameter of each record of the polymer (at most 2,000) by the
 * median of its k nearest records of other papers. Null without a feature to compare, and for fewer than three papers. For the factor, the
 * prediction is the median of the medians of these papers, and all records without a DOI are one paper.
 */
export async function reliability(index: IndexAtState, recipe: Recipe, k: number): Promise<Reliability | null> {
  const [polymer, ...others] = recipe.polymers ?? [];
  const features = valuesBut(recipe, 'fiberDiameter').map(({ keys }) => keys);
  if (polymer === undefined || others.length > 0 || features.length === 0) return null;
  const { datasetId, revision } = index.state;
  const key = JSON.stringify([datasetId, revision, index.once, polymer, features.map(({ feature }) => feature), k]);
  const cached = cache.get(key);
  if (cached) return cached.reliability;
  return sharedWork(running, key, async () => {
    const reliability = await reliabilityOf(index, polymer, features, k);
    cache.set(key, { reliability });
    return reliability;
  });
}

async function reliabilityOf(
  index: IndexAtState,
  polymer: string,
  features: readonly FeatureKeys[],
  k: number,
): Promise<Reliability | null> {
  const pool = await poolOf(index, polymer);
  const compared: Compared[] = [];
  for (const { feature } of features) {
    const column = index.columns.features[feature];
    const { isLog, spread } = await featureScale(index, feature);
    const positionOf = (value: number): number => (isLog ? Math.log(value) : value);
    compared.push({ spread, positions: Float64Array.from(pool, ({ slot }) => positionOf(column.numberAt(slot))) });
  }
  const [paperOf, doiOf] = [pool.map(({ paper }) => paper), pool.map(({ doi }) => doi)];
  const papers = new Set(paperOf).size;
  const errors: number[] = [];
  const ofPapers: PaperError[] = [];
  const sums = new Float64Array(pool.length);
  if (papers >= LEAST_PAPERS) {
    for (const [at, { paper, doi, diameter }] of pool.entries()) {
      const best = new KSmallest(k);
      const bestOfDois = doi === NO_VALUE ? new KSmallest(k) : best;
      sums.fill(0);
      for (const feature of compared) addDistances(sums, feature, at);
      for (let other = 0; other < sums.length; other += 1) {
        if (paperOf[other] === paper) continue;
        const distance = (sums[other] ?? 0) / compared.length;
        best.add(distance, other);
        if (bestOfDois !== best && doiOf[other] !== NO_VALUE) bestOfDois.add(distance, other);
      }
      const errorOf = (predicted: number): number => Math.abs(Math.log(predicted) - Math.log(diameter));
      const near = measuredOf(pool, best);
      const predicted = medianOf(near.map((record) => record.diameter));
      if (predicted !== null) errors.push(errorOf(predicted));
      const ofDois = medianOfMedians(bestOfDois === best ? near : measuredOf(pool, bestOfDois));
      if (ofDois !== null) ofPapers.push({ doi, error: errorOf(ofDois) });
      await yieldAfterSlice();
    }
  }
  if (papers < LEAST_PAPERS) return null;
  return {
    polymer,
    papers,
    records: errors.length,
    medianAbsoluteLogError: medianOf(errors),
    factor80: factorOf(ofPapers),
  };
}

/** A feature of the records of a pool. */
interface Compared extends Pick<FeatureScale, 'spread'> {
  /** The values or, on a logarithmic scale, their logarithms. NaN without a value. */
  positions: Float64Array;
}

/** Adds the distance of each record to the one at an index, as `distanceOf` does. */
function addDistances(sums: Float64Array, { spread, positions }: Compared, at: number): void {
  const position = positions[at] ?? NaN;
  for (let other = 0; other < sums.length; other += 1) {
    const difference = Math.abs((positions[other] ?? NaN) - position);
    const distance = spread > 0 ? difference / spread : Number(difference > 0);
    sums[other] = (sums[other] ?? 0) + (Number.isNaN(difference) ? MISSING : distance);
  }
}

interface Measured {
  /** The code of the DOI; without a DOI, a distinct negative number. */
  paper: number;
  /** The code of the DOI. */
  doi: number;
  diameter: number;
  slot: number;
}

interface PaperError {
  doi: number;
  /** |ln predicted − ln measured| */
  error: number;
}

/** Returns exp(e) for the first error e at which the cumulative weight reaches 80 %. The errors of a paper have the total weight 1. */
function factorOf(errors: readonly PaperError[]): number | null {
  const papers = Map.groupBy(errors, ({ doi }) => doi);
  if (papers.size < LEAST_PAPERS_OF_FACTOR) return null;
  let weight = 0;
  for (const { doi, error } of errors.toSorted((a, b) => a.error - b.error)) {
    weight += 1 / (papers.get(doi)?.length ?? 1);
    if (weight / papers.size >= SHARE_OF_FACTOR - TOLERANCE) return Math.exp(error);
  }
  return null;
}

function measuredOf(pool: readonly Measured[], best: KSmallest): Measured[] {
  return best.list().flatMap(({ item }) => pool[item] ?? []);
}

function medianOfMedians(measured: readonly Measured[]): number | null {
  const papers = Map.groupBy(measured, ({ doi }) => doi);
  return medianOf([...papers.values()].flatMap((records) => medianOf(records.map(({ diameter }) => diameter)) ?? []));
}

/** Finds a sample, by the hash of the id, of the public records with a fiber diameter and only this polymer. */
async function poolOf(index: IndexAtState, polymer: string): Promise<Measured[]> {
  const { column, values, valuesOf } = await categoryOf(index, 'polymer');
  const polymerCode = values.indexOf(polymer);
  const { recordId } = index.columns;
  const [diameters, dois] = [index.columns.features.fiberDiameter, index.columns.terms.doi];
  const isWanted = (slot: number): boolean => {
    const polymers = valuesOf[column.codes[slot] ?? 0];
    return polymers?.length === 1 && polymers[0] === polymerCode && diameters.numberAt(slot) > 0;
  };
  const rows = await matchingRows(index, []);
  const candidates: number[] = [];
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      if (isWanted(slot)) candidates.push(slot);
    }
  });
  const sample = await sampleRows(index.columns, Int32Array.from(candidates), MAX_RECORDS);
  return Array.from(sample, (slot) => {
    const doi = dois.codes[slot] ?? NO_VALUE;
    const paper = doi === NO_VALUE ? -(recordId[slot] ?? 0) : doi;
    return { paper, doi, diameter: diameters.numberAt(slot), slot };
  });
}
