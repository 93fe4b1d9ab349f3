import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { readUnitFeatures } from '@esd/record/filter/feature-values';
import { defaultScale } from '@esd/pages/explore-view';
import { keyLabels } from '@esd/record/metadata/key-labels';
import { indexReferences, type References } from '@esd/record/reference/reference';
import { bodyOf, call } from '../client/call.ts';
import type { Answer } from '../client/request.ts';
import { loadRanges, polymersOf, type RangeWarning, rangeWarnings } from '../range-warnings.ts';
import type { StaffRequest } from '../staff/service.ts';
import type { Histogram } from './shapes.ts';

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
const BINS = 30;

export interface RecordAnalyses {
  /** Finds the positions of the values of a record among the public records with the same polymers. */
  readonly marks: (record: ExperimentData, signal: AbortSignal) => Promise<Marks>;
  /** Finds the values outside the range of the public records with the same polymers. */
  readonly warnings: (record: ExperimentData, signal: AbortSignal) => Promise<RangeWarning[]>;
}

/**
 * Compares records with the dataset. The units and the histograms of the dataset are cached while the page is open. One analysis runs at a
 * time, because the service limits them per address, which the members of a lab share.
 */
export function recordAnalyses(request: StaffRequest): RecordAnalyses {
  const figures = new Map<string, Promise<Histogram>>();
  let units: Promise<References> | undefined;
  const references = (): Promise<References> => {
    units ??= readUnits(request);
    units.catch(() => (units = undefined));
    return units;
  };
  let last: Promise<unknown> = Promise.resolve();
  const analysis = (path: string, signal?: AbortSignal): Promise<Answer> => {
    const next = last.then(() => request(path, signal ? { signal } : {}));
    last = next.catch(() => undefined);
    return next;
  };
  const figureOf = (feature: Feature, filter: string): Promise<Histogram> => {
    const scale = defaultScale(feature);
    const path = `/public/dataset/histogram?feature=${feature}&bins=${BINS}&scale=${scale}${filter}`;
    const cached = figures.get(path);
    if (cached) return cached;
    const loading = analysis(path).then((response) => bodyOf<'get', '/public/dataset/histogram'>(response));
    figures.set(path, loading);
    loading.catch(() => figures.delete(path));
    return loading;
  };
  const marks = async (record: ExperimentData, signal: AbortSignal): Promise<Marks> => {
    const { values, notConvertible } = readUnitFeatures(record, await references());
    const positions: Mark[] = [];
    const polymers = polymersOf(record);
    const filter = polymers === '' ? '' : `&${new URLSearchParams({ filter: JSON.stringify({ polymer: polymers }) })}`;
    for (const feature of shown) {
      const value = values[feature];
      if (value === undefined) continue;
      const { unit, edges, counts } = await figureOf(feature, filter);
      const count = counts.reduce((sum, bin) => sum + bin, 0);
      if (count === 0) continue;
      // The count below `min` is exact for any bins; `max` only has to be greater than `min`.
      const range = `&bins=1&min=${value}&max=${value + Math.abs(value) + 1}`;
      const response = await analysis(`/public/dataset/histogram?feature=${feature}${range}${filter}`, signal);
      const { below } = bodyOf<'get', '/public/dataset/histogram'>(response);
      positions.push({ feature, name: nameOf(feature), value, unit, edges, counts, lower: below, count });
    }
    return { marks: positions, notComparable: notConvertible.map(nameOf) };
  };
  const warnings = async (record: ExperimentData, signal: AbortSignal): Promise<RangeWarning[]> => {
    const polymers = polymersOf(record);
    if (polymers === '') return [];
    const ranges = await loadRanges(polymers, (path) => analysis(path, signal));
    return rangeWarnings(record, await references(), ranges);
  };
  return { marks, warnings };
}

function nameOf(feature: Feature): string {
  return keyLabels[feature].label;
}

/** Loads the list of units. The result can convert units, but it knows no other list. */
async function readUnits(request: StaffRequest): Promise<References> {
  const { body: units } = await call(request, 'get', '/metadata/units');
  const lists = { polymers: [], solvents: [], morphologies: [], instabilities: [], ambiguous: [], revision: 0 };
  return indexReferences({ ...lists, units });
}
