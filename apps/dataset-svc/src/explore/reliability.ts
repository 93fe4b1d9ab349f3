import { LRUCache } from 'lru-cache';
import { valuesAt } from '../read-index/columns/figures.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { categoryOf } from './categories.ts';
import { featureScale, partOf } from './feature-scales.ts';
import { KSmallest } from './k-smallest.ts';
import { doublesOf, intsOf, matchingRows } from './matching-rows.ts';
import { MISSING } from './nearest.ts';
import { quantilesOf } from './quantiles.ts';
import { type Recipe, valuesBut } from './recipe.ts';
import { hashOfId } from './sample.ts';

/** How far the fiber diameters of similar experiments of other papers are from those measured. */
export interface Reliability {
  polymer: string;
  papers: number;
  records: number;
  /** The median of |ln predicted − ln measured|. */
  medianAbsoluteLogError: number | null;
}

const MAX_RECORDS = 2_000;
const LEAST_PAPERS = 3;
const MAX_KEPT = 500;
const DIAMETER = featureKeys.indexOf('fiberDiameter');
const DOI = termKeys.indexOf('doi');

const kept = new LRUCache<string, { reliability: Reliability | null }>({ max: MAX_KEPT });

/**
 * The reliability of a recipe of one polymer: each of its records, of at most 2,000, is predicted by the median diameter of its k
 * nearest of other papers. Null without a feature to compare by, and below three papers.
 */
export async function reliability(reading: Reading, recipe: Recipe, k: number): Promise<Reliability | null> {
  const [polymer, ...others] = recipe.polymers ?? [];
  const features = valuesBut(recipe, 'fiberDiameter').map(({ keys }) => keys);
  if (polymer === undefined || others.length > 0 || features.length === 0) return null;
  const { datasetId, revision } = reading.state;
  const key = JSON.stringify([datasetId, revision, polymer, features.map(({ feature }) => feature), k]);
  const known = kept.get(key);
  if (known) return known.reliability;
  const pool = await poolOf(reading, polymer);
  const columns = [];
  for (const keys of features) {
    const scale = await featureScale(reading, keys);
    const at = featureKeys.indexOf(keys.feature);
    columns.push({ scale, values: pool.map(({ features: values }) => values[at] ?? NaN) });
  }
  const papers = new Set(pool.map(({ paper }) => paper)).size;
  const errors: number[] = [];
  const takeTurns = inSlices();
  if (papers >= LEAST_PAPERS) {
    for (const [at, { paper, diameter }] of pool.entries()) {
      const best = new KSmallest(k);
      for (const [other, { paper: otherPaper }] of pool.entries()) {
        if (otherPaper === paper) continue;
        let sum = 0;
        for (const { scale, values } of columns) {
          const [own = NaN, its = NaN] = [values[at], values[other]];
          sum += Number.isNaN(own) || Number.isNaN(its) ? MISSING : partOf(scale, its, own);
        }
        best.add(sum / columns.length, other);
      }
      const diameters = Float64Array.from(best.list(), ({ place }) => pool[place]?.diameter ?? NaN);
      const [predicted] = await quantilesOf(diameters, [0.5]);
      if (predicted !== null) errors.push(Math.abs(Math.log(predicted) - Math.log(diameter)));
      await takeTurns();
    }
  }
  const [medianAbsoluteLogError] = await quantilesOf(Float64Array.from(errors), [0.5]);
  const made = papers < LEAST_PAPERS ? null : { polymer, papers, records: errors.length, medianAbsoluteLogError };
  kept.set(key, { reliability: made });
  return made;
}

interface Measured {
  /** An id of its DOI, or one of its own without. */
  paper: number;
  diameter: number;
  /** By `featureKeys`. */
  features: readonly number[];
}

/** The public records of a polymer alone with a fiber diameter, those with the smallest hash of the id, by record id. */
async function poolOf(reading: Reading, polymer: string): Promise<Measured[]> {
  const takeTurns = inSlices();
  const { values, valuesOfId, ids } = await categoryOf(reading, 'polymer');
  const wanted = values.indexOf(polymer);
  const isWanted = new Uint8Array(valuesOfId.length);
  for (const [id, own] of valuesOfId.entries()) if (own?.length === 1 && own[0] === wanted) isWanted[id] = 1;
  const { parts, total } = await matchingRows(reading, []);
  const hashes = new Float64Array(total);
  let count = 0;
  const found = [];
  for (const part of parts) {
    const polymers = intsOf(part, ids);
    const diameters = doublesOf(part, DIAMETER);
    const recordIds = intsOf(part, ({ recordId }) => recordId);
    const rows: number[] = [];
    for (let row = 0; row < part.places.length; row += 1) {
      if (isWanted[polymers(row)] !== 1 || !(diameters(row) > 0)) continue;
      rows.push(row);
      hashes[count++] = hashOfId(recordIds(row));
    }
    if (rows.length > 0) found.push({ part, rows, recordIds, diameters });
    await takeTurns();
  }
  const [last = Infinity] = count > MAX_RECORDS ? await valuesAt(hashes.subarray(0, count), [MAX_RECORDS - 1]) : [];
  const pool: Measured[] = [];
  for (const { part, rows, recordIds, diameters } of found) {
    const chosen = rows.filter((row) => hashOfId(recordIds(row)) <= last);
    const dois = intsOf(part, (columns) => columns.terms[DOI] ?? new Int32Array());
    const features = featureKeys.map((_, feature) => doublesOf(part, feature));
    for (const row of chosen) {
      const doi = dois(row);
      pool.push({
        paper: doi > 0 ? doi : -recordIds(row),
        diameter: diameters(row),
        features: features.map((column) => column(row)),
      });
    }
    await takeTurns();
  }
  return pool;
}
