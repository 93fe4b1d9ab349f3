import { LRUCache } from 'lru-cache';
import { NO_VALUE } from '../read-index/coded-column.ts';
import { sortNumbers } from '../read-index/distribution.ts';
import { inSteps, takeTurns } from '../read-index/take-turns.ts';
import { matchingRows, type Reading } from '../read-index/matching-rows.ts';
import { categoryOf } from './categories.ts';
import { distanceOf, featureScale } from './feature-scales.ts';
import { KSmallest } from './k-smallest.ts';
import { MISSING } from './nearest.ts';
import { quantilesOf } from './quantiles.ts';
import { type Recipe, valuesBut } from './recipe.ts';
import { hashOfId, lastHashOf } from './sample.ts';

/** The difference between the measured fiber diameters and those of similar experiments of other papers. */
export interface Reliability {
  polymer: string;
  papers: number;
  records: number;
  /** The median of |ln predicted − ln measured|. */
  medianAbsoluteLogError: number | null;
}

const MAX_RECORDS = 2_000;
const LEAST_PAPERS = 3;
const MAX_CACHED = 500;
const cache = new LRUCache<string, { reliability: Reliability | null }>({ max: MAX_CACHED });

/**
 * Computes the reliability for a recipe with one polymer: predicts the diameter of each record of the polymer (at most 2,000) by the
 * median of its k nearest records of other papers. Null without a feature to compare, and for fewer than three papers.
 */
export async function reliability(reading: Reading, recipe: Recipe, k: number): Promise<Reliability | null> {
  const [polymer, ...others] = recipe.polymers ?? [];
  const features = valuesBut(recipe, 'fiberDiameter').map(({ keys }) => keys);
  if (polymer === undefined || others.length > 0 || features.length === 0) return null;
  const { datasetId, revision } = reading.state;
  const key = JSON.stringify([datasetId, revision, reading.once, polymer, features.map(({ feature }) => feature), k]);
  const cached = cache.get(key);
  if (cached) return cached.reliability;
  const pool = await poolOf(reading, polymer);
  const compared = [];
  for (const { feature } of features) {
    const column = reading.columns.features[feature];
    const values = pool.map(({ slot }) => column.numberAt(slot));
    compared.push({ scale: await featureScale(reading, feature), values });
  }
  const papers = new Set(pool.map(({ paper }) => paper)).size;
  const errors: number[] = [];
  if (papers >= LEAST_PAPERS) {
    for (const [at, { paper, diameter }] of pool.entries()) {
      const best = new KSmallest(k);
      for (const [other, { paper: otherPaper }] of pool.entries()) {
        if (otherPaper === paper) continue;
        let sum = 0;
        for (const { scale, values } of compared) {
          const [own = NaN, its = NaN] = [values[at], values[other]];
          sum += Number.isNaN(own) || Number.isNaN(its) ? MISSING : distanceOf(scale, its, own);
        }
        best.add(sum / compared.length, other);
      }
      const diameters = Float64Array.from(best.list(), ({ item }) => pool[item]?.diameter ?? NaN);
      const [predicted] = quantilesOf(sortNumbers(diameters), [0.5]);
      if (predicted !== null) errors.push(Math.abs(Math.log(predicted) - Math.log(diameter)));
      await takeTurns();
    }
  }
  const [medianAbsoluteLogError] = quantilesOf(sortNumbers(Float64Array.from(errors)), [0.5]);
  const made = papers < LEAST_PAPERS ? null : { polymer, papers, records: errors.length, medianAbsoluteLogError };
  cache.set(key, { reliability: made });
  return made;
}

interface Measured {
  /** The code of the DOI; without a DOI, a distinct negative number. */
  paper: number;
  diameter: number;
  slot: number;
}

/** Finds a sample, by the hash of the id, of the public records with a fiber diameter and only this polymer. */
async function poolOf(reading: Reading, polymer: string): Promise<Measured[]> {
  const { column, values, valuesOf } = await categoryOf(reading, 'polymer');
  const wanted = values.indexOf(polymer);
  const { recordId } = reading.columns;
  const [diameters, dois] = [reading.columns.features.fiberDiameter, reading.columns.terms.doi];
  const isWanted = (slot: number): boolean => {
    const own = valuesOf[column.codes[slot] ?? 0];
    return own?.length === 1 && own[0] === wanted && diameters.numberAt(slot) > 0;
  };
  const rows = await matchingRows(reading, []);
  const candidates: number[] = [];
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const slot = part[at] ?? 0;
      if (isWanted(slot)) candidates.push(slot);
    }
  });
  const last = await lastHashOf(
    Int32Array.from(candidates, (slot) => recordId[slot] ?? 0),
    MAX_RECORDS,
  );
  return candidates
    .filter((slot) => hashOfId(recordId[slot] ?? 0) <= last)
    .map((slot) => {
      const doi = dois.codes[slot] ?? NO_VALUE;
      const paper = doi === NO_VALUE ? -(recordId[slot] ?? 0) : doi;
      return { paper, diameter: diameters.numberAt(slot), slot };
    });
}
