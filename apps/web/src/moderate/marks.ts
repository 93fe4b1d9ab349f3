import * as z from 'zod/mini';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { readFeatures } from '@esd/record/filter/feature-values';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import { indexReferences, type References } from '@esd/record/reference/reference';
import { read } from '../client/read.ts';
import type { StaffRequest } from '../staff/service.ts';
import { type Histogram, histogram } from './shapes.ts';

/** Where a value lies among all that the dataset has. */
export interface Mark {
  readonly feature: Feature;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Of the bins of all values. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** How many of the dataset's values are lower. */
  readonly lower: number;
  readonly count: number;
}

/** What is found of a record. */
export interface Marks {
  readonly marks: readonly Mark[];
  /** The names of values whose units cannot be converted into those of the dataset, such as g/L into wt%. */
  readonly notComparable: readonly string[];
}

// What is looked at first; whatever else a record has follows.
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
// Most of these can be told apart on a logarithmic scale only.
const LOGARITHMIC: readonly Feature[] = ['fiberDiameter', 'flowRate', 'modulus', 'permeability'];
const BINS = 30;

// Units convert without the other lists.
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

/** Finds where the values of a record lie. The pictures of the dataset are asked for once while the page is open. */
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
    const { values, notConvertible } = readFeatures(record, await units);
    const found: Mark[] = [];
    // One after the other: the service does one analysis at a time for a client.
    for (const feature of shown) {
      const value = values[feature];
      if (value === undefined) continue;
      const { unit, edges, counts } = await figureOf(feature);
      const count = counts.reduce((sum, bin) => sum + bin, 0);
      if (count === 0) continue;
      // The values below `min` are counted exactly, whatever the bins are; `max` only has to be higher.
      const range = `&bins=1&min=${value}&max=${value + Math.abs(value) + 1}`;
      const answer = await request(`/public/dataset/histogram?feature=${feature}${range}`, { signal: stop });
      const { below } = read(histogram, answer);
      found.push({ feature, name: nameOf(feature), value, unit, edges, counts, lower: below, count });
    }
    return { marks: found, notComparable: notConvertible.map(nameOf) };
  };
}

function nameOf(feature: Feature): string {
  return featureFacts.find((facts) => facts.feature === feature)?.name ?? feature;
}

async function readUnits(request: StaffRequest): Promise<References> {
  const units = read(unitList, await request('/metadata/units'));
  const lists = { polymers: [], solvents: [], morphologies: [], instabilities: [], ambiguous: [], revision: 0 };
  return indexReferences({ ...lists, units });
}
