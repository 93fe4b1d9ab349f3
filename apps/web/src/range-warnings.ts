import type { ExperimentData } from '@esd/record/catalog/catalog';
import { exactText } from '@esd/record/filter/exact-text';
import { readUnitFeatures } from '@esd/record/filter/feature-values';
import { type Feature, recordFeatures } from '@esd/record/filter/filter-keys';
import type { References } from '@esd/record/reference/reference';
import { call, type Send } from './client/call.ts';
import { numberText, rangeText } from './format.ts';
import { substancesOf } from './materials.ts';

/** The range of a feature among public records, in the unit of its filter. */
export interface ValueRange {
  readonly count: number;
  readonly min: number;
  readonly max: number;
}

export type Ranges = Readonly<Partial<Record<Feature, ValueRange>>>;

export interface RangeWarning {
  readonly path: string;
  readonly text: string;
}

/** Returns the polymers of an experiment as a filter text. Its values are compared with the records that it matches. Empty without a polymer. */
export function polymersOf(data: ExperimentData): string {
  const names = substancesOf(data, 'polymer');
  return names.length === 0 ? '' : exactText([...new Set(names)]);
}

/** Loads the ranges of the records with these polymers. Throws RequestError. */
export async function loadRanges(polymers: string, send: Send): Promise<Ranges> {
  const query = new URLSearchParams({ filter: JSON.stringify({ polymer: polymers }) }).toString();
  const { statistics } = (await call(send, 'get', '/public/dataset/statistics', { query })).body;
  const ranges: Partial<Record<Feature, ValueRange>> = {};
  for (const { feature } of recordFeatures) {
    const { count = 0, min = null, max = null } = statistics[feature] ?? {};
    if (min !== null && max !== null) ranges[feature] = { count, min, max };
  }
  return ranges;
}

/** Warns about values outside the range of the public records with the same polymers. */
export function rangeWarnings(data: ExperimentData, references: References, ranges: Ranges): RangeWarning[] {
  const { values } = readUnitFeatures(data, references);
  return recordFeatures.flatMap(({ feature, path, unit }) => {
    const value = values[feature];
    const range = ranges[feature];
    if (value === undefined || range === undefined || (value >= range.min && value <= range.max)) return [];
    const side = value > range.max ? 'Higher' : 'Lower';
    const text = `${side} than all ${numberText(range.count)} experiments with ${substancesOf(data, 'polymer').join(' or ')} (${rangeText(rounded(range.min), rounded(range.max))} ${unit}).`;
    return [{ path: path === 'needleProperty.needleDefinition' ? `${path}.size` : path, text }];
  });
}

/** Rounds a limit, which can be the result of a conversion. */
const rounded = (limit: number): number => Number(limit.toPrecision(4));
