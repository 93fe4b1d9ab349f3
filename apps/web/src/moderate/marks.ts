import * as z from 'zod/mini';
import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import type { Feature } from '@esd/record/filter/filter-keys';
import { featureValues } from '@esd/record/filter/feature-values';
import { featureFacts } from '@esd/record/metadata/feature-facts';
import { indexReferences, type References } from '@esd/record/reference/reference';
import { read } from '../client/read.ts';
import type { AskService } from '../staff/service.ts';
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

type Scale = 'linear' | 'log';

// What is looked at first, with the scale on which most of it can be told apart.
const SHOWN: readonly (readonly [feature: Feature, scale: Scale])[] = [
  ['fiberDiameter', 'log'],
  ['voltage', 'linear'],
  ['tipDist', 'linear'],
  ['flowRate', 'log'],
  ['concentration', 'linear'],
  ['temp', 'linear'],
  ['humidity', 'linear'],
  ['variation', 'linear'],
];
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
export function marks(ask: AskService): (record: ExperimentData, stop: AbortSignal) => Promise<Mark[]> {
  const figures = new Map<string, Promise<Histogram>>();
  let units: Promise<References> | undefined;
  const figureOf = (feature: Feature, scale: Scale): Promise<Histogram> => {
    const known = figures.get(feature);
    if (known) return known;
    const loading = ask(`/public/dataset/histogram?feature=${feature}&bins=${BINS}&scale=${scale}`).then((answer) =>
      read(histogram, answer),
    );
    figures.set(feature, loading);
    loading.catch(() => figures.delete(feature));
    return loading;
  };
  return async (record, stop) => {
    units ??= readUnits(ask);
    const values = featureValues(record, await units);
    const found: Mark[] = [];
    // One after the other: the service does one analysis at a time for a client.
    for (const [feature, scale] of SHOWN) {
      const value = values[feature];
      if (value === undefined) continue;
      const { unit, edges, counts } = await figureOf(feature, scale);
      const count = counts.reduce((sum, bin) => sum + bin, 0);
      if (count === 0) continue;
      // The values below `min` are counted exactly, whatever the bins are; `max` only has to be higher.
      const range = `&bins=1&min=${value}&max=${value + Math.abs(value) + 1}`;
      const answer = await ask(`/public/dataset/histogram?feature=${feature}${range}`, { signal: stop });
      const { below } = read(histogram, answer);
      const name = featureFacts.find((facts) => facts.feature === feature)?.name ?? feature;
      found.push({ feature, name, value, unit, edges, counts, lower: below, count });
    }
    return found;
  };
}

async function readUnits(ask: AskService): Promise<References> {
  const units = read(unitList, await ask('/metadata/units'));
  const lists = { polymers: [], solvents: [], morphologies: [], instabilities: [], ambiguous: [], revision: 0 };
  return indexReferences({ ...lists, units });
}
