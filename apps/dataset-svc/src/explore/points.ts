import {
  type CategoryKey,
  categoryKeys,
  type Feature,
  type FeatureKeys,
  features,
} from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { type IndexAtState, repeatGroups, totalsOf } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';
import { categoryOf, namesOf } from './categories.ts';
import { numberOrNull } from './feature-scales.ts';
import { plottedRows } from './plotted-rows.ts';
import { sampleRows } from './sample.ts';

export type Color = Feature | CategoryKey;

export interface PointsQuestion {
  x: FeatureKeys;
  y: FeatureKeys;
  color?: Color | undefined;
  panel?: Color | undefined;
  limit: number;
  /** Whether to include records without x or y. */
  nulls: boolean;
}

/** Returns a color key. Throws INVALID_PARAMETER for an unknown name. */
export function requireColor(name: string): Color {
  const colors: readonly Color[] = [...features.map(({ feature }) => feature), ...categoryKeys];
  const color = colors.find((key) => key === name);
  if (color === undefined) throw new ServiceError('INVALID_PARAMETER', `"${name}" cannot be used as a color.`);
  return color;
}

/** Returns scatter plot columns of rows, by ascending record id; with `once`, also the number of records of each point. Beyond the limit, returns a sample by a hash of the record id. */
export async function points(index: IndexAtState, rows: Int32Array, question: PointsQuestion) {
  const { x, y, color, panel, limit, nulls } = question;
  const { plotted, excluded } = await plottedRows(
    index,
    rows,
    { feature: x, isLog: false },
    { feature: y, isLog: false },
  );
  const candidates = nulls ? rows : plotted;
  const { recordId } = index.columns;
  const sampled = await sampleRows(index.columns, candidates, limit);
  return {
    ...(await totalsOf(index, rows)),
    placed: plotted.length,
    sampled: candidates.length > limit,
    recordId: Array.from(sampled, (slot) => recordId[slot] ?? 0),
    x: await cellsOf(sampled, numberReader(index, x.feature)),
    y: await cellsOf(sampled, numberReader(index, y.feature)),
    ...(color === undefined ? {} : { color: await cellsOf(sampled, await colorReader(index, color)) }),
    ...(panel === undefined ? {} : { panel: await cellsOf(sampled, await colorReader(index, panel)) }),
    ...(index.once ? { multiplicity: await sizesOf(index, sampled) } : {}),
    excluded,
  };
}

async function cellsOf<Value>(rows: Int32Array, read: (slot: number) => Value): Promise<Value[]> {
  const cells: Value[] = [];
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) cells.push(read(slots[at] ?? 0));
  });
  return cells;
}

/** Returns the number of records of the group that each row represents. */
async function sizesOf(index: IndexAtState, rows: Int32Array): Promise<number[]> {
  const { size } = await repeatGroups(index);
  return cellsOf(rows, (slot) => size[slot] ?? 0);
}

function numberReader(index: IndexAtState, feature: Feature): (slot: number) => number | null {
  const column = index.columns.features[feature];
  return (slot) => numberOrNull(column.numberAt(slot));
}

async function colorReader(index: IndexAtState, color: Color): Promise<(slot: number) => number | string | null> {
  const feature = features.find((keys) => keys.feature === color);
  if (feature) return numberReader(index, feature.feature);
  const key = categoryKeys.find((category) => category === color);
  if (key === undefined) throw new Error(`${color} cannot be used as a color`);
  const category = await categoryOf(index, key);
  /** By code: the first value. */
  const texts = new Map<number, string | null>();
  return (slot) => {
    const code = category.column.codes[slot] ?? 0;
    const cached = texts.get(code);
    if (cached !== undefined) return cached;
    const [first = null] = namesOf(category, code);
    texts.set(code, first);
    return first;
  };
}
