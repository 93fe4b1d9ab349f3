import type { Filter } from '@esd/record/filter/filter';
import type { Feature } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { byCode, FIRST_NUMBER, NO_VALUE } from '../read-index/coded-column.ts';
import { STABILITY } from '../read-index/columns.ts';
import { sortNumbers } from '../read-index/distribution.ts';
import {
  findSlot,
  type IndexAtState,
  matchingRows,
  repeatGroups,
  representativeOf,
} from '../read-index/matching-rows.ts';
import { inSteps, STEP } from '../read-index/slices.ts';
import { medianOf, quartilesOfMedians } from './by-paper.ts';
import { type Category, categoryOf, namesOf } from './categories.ts';
import { countStability } from './count-rows.ts';
import { distanceOf, featureScale, numberOrNull } from './feature-scales.ts';
import { KSmallest } from './k-smallest.ts';
import { quantilesOf } from './quantiles.ts';
import type { Recipe } from './recipe.ts';
import { repeatsOf } from './repeats.ts';
import { unexplainedOf } from './unexplained.ts';

/** Distances of a missing value, of partly equal names, and of a record that is not a candidate. */
export const MISSING = 1;
const OVERLAP = 0.5;
const NO_CANDIDATE = NaN;
const MAX_REPEATS = 1_000;

interface Measure {
  key: string;
  distance: (slot: number) => number;
  /** Returns the value of a row; null or an empty array without a value. */
  value: (slot: number) => number | readonly string[] | null;
}

/**
 * Finds the k most similar records, by distance, then id; with `once`, the groups of repeated records, and `exclude` names
 * one of a group. Throws INVALID_PARAMETER for a value without a logarithm.
 */
export async function nearest(
  index: IndexAtState,
  filter: Filter,
  recipe: Recipe,
  { k, exclude }: { k: number; exclude?: number | undefined },
) {
  const measures = await measuresOf(index, recipe);
  const rows = await matchingRows(index, filter);
  const best = new KSmallest(k);
  const given = exclude === undefined ? undefined : await findSlot(index, exclude);
  const excludedSlot = given === undefined ? undefined : await representativeOf(index, given);
  const sizes = index.once ? (await repeatGroups(index)).size : undefined;
  let [total, records, left] = [0, 0, 0];
  const sums = new Float64Array(STEP);
  await inSteps(rows, (slots) => {
    sums.fill(0);
    for (const { distance } of measures) addDistances(sums, slots, distance);
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      const sum = sums[at] ?? NO_CANDIDATE;
      if (slot === excludedSlot) left += 1;
      else if (!Number.isNaN(sum)) {
        total += 1;
        records += sizes?.[slot] ?? 1;
        const distance = sum / measures.length;
        if (distance < best.bound) best.add(distance, slot);
      }
    }
  });
  const ranked = best.list();
  const slots = ranked.map(({ item }) => item);
  const repeats = index.once ? await repeatsOf(index, slots, MAX_REPEATS) : undefined;
  const unexplained = await unexplainedOf(index, slots);
  const neighbors = ranked.map(({ value, item: slot }) => ({
    ...neighborOf(index, slot, value, measures),
    unexplained: unexplained.get(slot) ?? null,
    ...(repeats ? { repeats: repeats.get(slot) ?? [] } : {}),
  }));
  const diameters = diametersOf(index, slots);
  const [q25, median, q75] = quantilesOf(sortNumbers(Float64Array.from(diameters)), [0.25, 0.5, 0.75]);
  const countStable = (wanted: boolean | null): number =>
    neighbors.filter(({ isFormationStable }) => isFormationStable === wanted).length;
  const byPaper = await papersOf(index, slots);
  return {
    total,
    records,
    neighbors,
    fiberDiameter: { count: diameters.length, q25, median, q75 },
    stable: { yes: countStable(true), no: countStable(false), unknown: countStable(null) },
    byPaper,
    paperMedian: quartilesOfMedians(byPaper.flatMap((paper) => paper.median ?? [])),
    excluded: [
      { reason: 'polymer', count: rows.length - total - left },
      { reason: 'excluded', count: left },
    ].filter(({ count }) => count > 0),
  };
}

/** Describes the papers of neighbors, in the order of each paper's first neighbor. The neighbors without a DOI are one paper. */
async function papersOf(index: IndexAtState, slots: readonly number[]) {
  const doi = await categoryOf(index, 'doi');
  const papers = Map.groupBy(slots, (slot) => doi.column.codes[slot] ?? NO_VALUE);
  return [...papers].map(([code, own]) => ({
    doi: namesOf(doi, code)[0] ?? null,
    count: own.length,
    median: medianOf(diametersOf(index, own)),
    ...countStability(index.columns, own),
  }));
}

function diametersOf({ columns }: IndexAtState, slots: readonly number[]): number[] {
  return slots.flatMap((slot) => numberOrNull(columns.features.fiberDiameter.numberAt(slot)) ?? []);
}

function addDistances(sums: Float64Array, slots: Int32Array, distance: (slot: number) => number): void {
  for (let at = 0; at < slots.length; at += 1) sums[at] = (sums[at] ?? 0) + distance(slots[at] ?? 0);
}

function neighborOf(index: IndexAtState, slot: number, distance: number, measures: readonly Measure[]) {
  const { rowId, recordId, stability } = index.columns;
  const parts: Record<string, object> = {};
  for (const { key, distance: part, value: valueOf } of measures) {
    const value = valueOf(slot);
    const missing = value === null || (typeof value !== 'number' && value.length === 0);
    parts[key] = { value, distance: part(slot), missing };
  }
  return {
    rowId: rowId[slot] ?? 0,
    recordId: recordId[slot] ?? 0,
    distance,
    parts,
    fiberDiameter: numberOrNull(index.columns.features.fiberDiameter.numberAt(slot)),
    isFormationStable: isStable(stability.codes[slot]),
  };
}

export function isStable(code: number | undefined): boolean | null {
  if (code === STABILITY.yes) return true;
  return code === STABILITY.no ? false : null;
}

/** Returns the measures of a recipe, features first, so that sums do not depend on the order in the request. */
async function measuresOf(index: IndexAtState, { values, polymers, solvents }: Recipe): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const { keys, value } of values) measures.push(await byFeature(index, keys.feature, value));
  if (polymers) measures.push(byNames(await categoryOf(index, 'polymer'), polymers, NO_CANDIDATE));
  if (solvents) measures.push(byNames(await categoryOf(index, 'solvent'), solvents, MISSING));
  return measures;
}

async function byFeature(index: IndexAtState, feature: Feature, wanted: number): Promise<Measure> {
  const scale = await featureScale(index, feature);
  if (scale.isLog && wanted <= 0) {
    const message = `\`recipe\`: \`${feature}\` must be above 0 because it is compared by its logarithm, got ${wanted}.`;
    throw new ServiceError('INVALID_PARAMETER', message);
  }
  const column = index.columns.features[feature];
  return {
    key: feature,
    distance: byCode(column, (code) =>
      code < FIRST_NUMBER ? MISSING : distanceOf(scale, column.values[code] ?? NaN, wanted),
    ),
    value: (slot) => numberOrNull(column.numberAt(slot)),
  };
}

/** Compares names. `apart` is the distance of a record without any of the wanted names. */
function byNames(category: Category, wanted: readonly string[], apart: number): Measure {
  const { column } = category;
  return {
    key: category.key,
    distance: byCode(column, (code) => {
      const names = namesOf(category, code);
      const common = names.filter((name) => wanted.includes(name)).length;
      if (common === 0) return apart;
      return common === names.length && common === wanted.length ? 0 : OVERLAP;
    }),
    value: (slot) => namesOf(category, column.codes[slot] ?? 0),
  };
}
