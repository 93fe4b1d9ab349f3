import type { Filter } from '@esd/record/filter/filter';
import { ServiceError } from '@esd/service/errors';
import { STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Category, categoryOf } from './categories.ts';
import { byCodePoint } from '@esd/record/filter/text-order';
import type { Excluded } from './excluded.ts';
import { featureScale, type FeatureScale, partOf } from './feature-scales.ts';
import { KSmallest } from './k-smallest.ts';
import { doubleColumn, doublesOf, intColumn, intsOf, type MatchingRows, matchingRows } from './matching-rows.ts';
import { quantilesOf } from './quantiles.ts';
import type { Recipe } from './recipe.ts';

/** What one key of a recipe adds to a distance. */
export interface DistancePart {
  value: number | readonly string[] | null;
  distance: number;
  missing: boolean;
}

export interface Neighbor {
  rowId: number;
  recordId: number;
  distance: number;
  parts: Record<string, DistancePart>;
  fiberDiameter: number | null;
  isFormationStable: boolean | null;
}

export interface Nearest {
  /** Candidates. */
  total: number;
  /** By distance, then record id. */
  neighbors: Neighbor[];
  fiberDiameter: { count: number; q25: number | null; median: number | null; q75: number | null };
  stable: { yes: number; no: number; unknown: number };
  excluded: Excluded[];
}

/** What a value that a record does not have costs. */
export const MISSING = 1;
const OVERLAP = 0.5;
const STEP = 8_192;
const DIAMETER = featureKeys.indexOf('fiberDiameter');

type Part = MatchingRows['parts'][number];

/** The distance of a record to a recipe by one of its keys. */
interface Measure {
  key: string;
  /** Adds the distances of the rows of a part from one on up to before another; NaN for a record that is not a candidate. */
  add: (part: Part) => (sums: Float64Array, from: number, to: number) => void;
  describe: (part: Part, row: number) => DistancePart;
}

/** The experiments that match and are most similar to a recipe. Throws INVALID_PARAMETER for a value without a logarithm that needs one. */
export async function nearest(
  reading: Reading,
  filter: Filter,
  recipe: Recipe,
  { k, exclude }: { k: number; exclude?: number | undefined },
): Promise<Nearest> {
  const measures = await measuresOf(reading, recipe);
  const takeTurns = inSlices();
  const { parts } = await matchingRows(reading, filter);
  const best = new KSmallest(k);
  let [total, place, others, left] = [0, 0, 0, 0];
  const starts: number[] = [];
  const sums = new Float64Array(STEP);
  for (const part of parts) {
    starts.push(place);
    const adders = measures.map(({ add }) => add(part));
    const { values: ids, places } = intColumn(part, ({ recordId }) => recordId);
    for (let from = 0; from < places.length; from += STEP) {
      const to = Math.min(places.length, from + STEP);
      sums.fill(0);
      for (const add of adders) add(sums, from, to);
      for (let row = from; row < to; row += 1, place += 1) {
        const sum = sums[row - from] ?? NaN;
        if (ids[places[row] ?? 0] === exclude) left += 1;
        else if (Number.isNaN(sum)) others += 1;
        else {
          total += 1;
          const distance = sum / measures.length;
          if (distance < best.bound) best.add(distance, place);
        }
      }
      await takeTurns();
    }
  }
  const neighbors = best.list().map(({ value: distance, place: at }) => {
    const inPart = starts.findLastIndex((start) => start <= at);
    const part = parts[inPart];
    if (!part) throw new Error(`there is no row at ${at}`);
    const row = at - (starts[inPart] ?? 0);
    return neighborOf(part, row, distance, measures);
  });
  const diameters = neighbors.flatMap(({ fiberDiameter }) => fiberDiameter ?? []);
  const [q25, median, q75] = await quantilesOf(Float64Array.from(diameters), [0.25, 0.5, 0.75]);
  const countStable = (wanted: boolean | null): number =>
    neighbors.filter(({ isFormationStable }) => isFormationStable === wanted).length;
  return {
    total,
    neighbors,
    fiberDiameter: { count: diameters.length, q25, median, q75 },
    stable: { yes: countStable(true), no: countStable(false), unknown: countStable(null) },
    excluded: [
      { reason: 'polymer', count: others },
      { reason: 'excluded', count: left },
    ].filter(({ count }) => count > 0),
  };
}

function neighborOf(part: Part, row: number, distance: number, measures: readonly Measure[]): Neighbor {
  const diameter = doublesOf(part, DIAMETER)(row);
  const stability = intsOf(part, (rows) => rows.stability)(row);
  const parts: Record<string, DistancePart> = {};
  for (const { key, describe } of measures) parts[key] = describe(part, row);
  return {
    rowId: intsOf(part, ({ rowId }) => rowId)(row),
    recordId: intsOf(part, ({ recordId }) => recordId)(row),
    distance,
    parts,
    fiberDiameter: Number.isNaN(diameter) ? null : diameter,
    isFormationStable: stability === STABILITY.unknown ? null : stability === STABILITY.yes,
  };
}

/** Features first, then polymer and solvent: sums of distances are the same however a recipe was written. */
async function measuresOf(reading: Reading, { values, polymers, solvents }: Recipe): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const { keys, value } of values) {
    const scale = await featureScale(reading, keys);
    if (scale.isLog && value <= 0) {
      const message = `\`recipe\`: \`${keys.feature}\` must be above 0, because it is compared by its logarithm, got ${value}.`;
      throw new ServiceError('INVALID_PARAMETER', message);
    }
    measures.push(byFeature(keys.feature, featureKeys.indexOf(keys.feature), scale, value));
  }
  if (polymers) measures.push(byNames(await categoryOf(reading, 'polymer'), polymers, NaN));
  if (solvents) measures.push(byNames(await categoryOf(reading, 'solvent'), solvents, MISSING));
  return measures;
}

function byFeature(key: string, feature: number, scale: FeatureScale, asked: number): Measure {
  const measure = (value: number): number => (Number.isNaN(value) ? MISSING : partOf(scale, value, asked));
  return {
    key,
    add: (part) => {
      const { values, places } = doubleColumn(part, feature);
      return (sums, from, to) => {
        for (let row = from; row < to; row += 1) {
          sums[row - from] = (sums[row - from] ?? 0) + measure(values[places[row] ?? 0] ?? NaN);
        }
      };
    },
    describe: (part, row) => {
      const value = doublesOf(part, feature)(row);
      const missing = Number.isNaN(value);
      return { value: missing ? null : value, distance: measure(value), missing };
    },
  };
}

/** `apart`: what a record costs that has none of the names; NaN where it is then not a candidate. */
function byNames(category: Category, asked: readonly string[], apart: number): Measure {
  const namesOf = (id: number): string[] =>
    (category.valuesOfId[id] ?? []).map((value) => category.values[value] ?? '').sort(byCodePoint);
  const measure = (id: number): number => {
    const names = namesOf(id);
    const common = names.filter((name) => asked.includes(name)).length;
    if (common === 0) return apart;
    return common === names.length && common === asked.length ? 0 : OVERLAP;
  };
  /** By id; NaN where it was not measured yet, or is that of no candidate. */
  const known = new Float64Array(category.idEnd).fill(NaN);
  return {
    key: category.key,
    add: (part) => {
      const { values: ids, places } = intColumn(part, category.ids);
      return (sums, from, to) => {
        for (let row = from; row < to; row += 1) {
          const id = ids[places[row] ?? 0] ?? 0;
          if (Number.isNaN(known[id] ?? NaN)) known[id] = measure(id);
          sums[row - from] = (sums[row - from] ?? 0) + (known[id] ?? NaN);
        }
      };
    },
    describe: (part, row) => {
      const names = namesOf(intsOf(part, category.ids)(row));
      return {
        value: names,
        distance: measure(intsOf(part, category.ids)(row)),
        missing: names.length === 0,
      };
    },
  };
}
