import * as z from 'zod/mini';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { readUnitFeatures } from '@esd/record/filter/feature-values';
import { keyLabels } from '@esd/record/metadata/key-labels';
import { indexReferences, type References } from '@esd/record/reference/reference';
import { read } from '../client/read.ts';
import type { StaffRequest } from '../staff/service.ts';
import { type Histogram, histogram } from './shapes.ts';

export interface Mark {
  readonly feature: Feature;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** The number of lower values in the dataset. */
  readonly lower: number;
  readonly count: number;
}

export interface Marks {
  readonly marks: readonly Mark[];
  /** The names of values whose units cannot be converted to those of the dataset, such as g/L to wt%. */
  readonly notComparable: readonly string[];
}

// The most important features come first.
const FIRST: readonly Feature[] = [
  'fiberDiameter',
  'variation',
  'concentration',
  'voltage',
  'tipDist',
  'fieldStrength',
  'flowRate',
  'needleDiameter',
  'temp',
  'humidity',
];
const shown: readonly Feature[] = [...new Set([...FIRST, ...features.map(({ feature }) => feature)])];
// Their values cover several orders of magnitude.
const LOGARITHMIC: readonly Feature[] = ['fiberDiameter', 'flowRate', 'modulus', 'permeability'];
const BINS = 30;

// Converting units does not need the other lists.
const unitList = z.array(
  z.object({
    id: z.number(),
    unit: z.string(),
    name: z.string(),
    dimension: z.string(),
    factor: z.optional(z.number()),
    offset: z.optional(z.number()),
    aliases: z.array(z.string()),
  }),
);

/** Finds the positions of the values of a record. The histograms of the dataset are cached while the page is open. */
export function marks(request: StaffRequest): (record: ExperimentData, stop: AbortSignal) => Promise<Marks> {
  const figures = new Map<string, Promise<Histogram>>();
  let units: Promise<References> | undefined;
  const figureOf = (feature: Feature): Promise<Histogram> => {
    const known = figures.get(feature);
    if (known) return known;
    const scale = LOGARITHMIC.includes(feature) ? 'log' : 'linear';
    const loading = request(`/public/dataset/histogram?feature=${feature}&bins=${BINS}&scale=${scale}`).then((answer) =>
      read(histogram, answer),
    );
    figures.set(feature, loading);
    loading.catch(() => figures.delete(feature));
    return loading;
  };
  return async (record, stop) => {
    units ??= readUnits(request);
    const { values, notConvertible } = readUnitFeatures(record, await units);
    const found: Mark[] = [];
    // Sequential, because the service runs one analysis at a time per client.
    for (const feature of shown) {
      const value = values[feature];
      if (value === undefined) continue;
      const { unit, edges, counts } = await figureOf(feature);
      const count = counts.reduce((sum, bin) => sum + bin, 0);
      if (count === 0) continue;
      // The count below `min` is exact for any bins; `max` only has to be greater than `min`.
      const range = `&bins=1&min=${value}&max=${value + Math.abs(value) + 1}`;
      const answer = await request(`/public/dataset/histogram?feature=${feature}${range}`, { signal: stop });
      const { below } = read(histogram, answer);
      found.push({ feature, name: nameOf(feature), value, unit, edges, counts, lower: below, count });
    }
    return { marks: found, notComparable: notConvertible.map(nameOf) };
  };
}

function nameOf(feature: Feature): string {
  return keyLabels[feature].label;
}

/** Loads the list of units. The result can convert units, but it knows no other list. */
export async function readUnits(request: StaffRequest): Promise<References> {
  const units = read(unitList, await request('/metadata/units'));
  const lists = { polymers: [], solvents: [], morphologies: [], instabilities: [], ambiguous: [], revision: 0 };
  return indexReferences({ ...lists, units });
}
