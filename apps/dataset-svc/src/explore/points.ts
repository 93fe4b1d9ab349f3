import type { Filter } from '@esd/record/filter/filter';
import {
  type CategoryKey,
  categoryKeys,
  type Feature,
  type FeatureKeys,
  features,
} from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import { valuesAt } from '../read-index/columns/figures.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { type Category, categoryOf } from './categories.ts';
import { byCodePoint } from '@esd/record/filter/text-order';
import { type Excluded, ExcludedCounts } from './excluded.ts';
import { doublesOf, intsOf, matchingRows, type RowsPart } from './matching-rows.ts';
import { placedRows } from './placed.ts';
import { hashOfId } from './sample.ts';

/** All solvents of a record together. */
export const SOLVENT_SYSTEM = 'solventSystem';

/** What gives points their color. */
export type Color = Feature | CategoryKey | typeof SOLVENT_SYSTEM;

export interface PointsQuestion {
  x: FeatureKeys;
  y: FeatureKeys;
  color?: Color | undefined;
  limit: number;
  /** Whether records that lack one of the two come too. */
  nulls: boolean;
}

/** Columns for a scatter plot, by ascending record id. */
export interface Points {
  total: number;
  /** Records with both values. */
  placed: number;
  /** Whether there are more than were asked for. */
  sampled: boolean;
  recordId: number[];
  x: (number | null)[];
  y: (number | null)[];
  color?: (number | string | null)[];
  excluded: Excluded[];
}

/** Throws INVALID_PARAMETER for what gives no color. */
export function requireColor(name: string): Color {
  const known: readonly Color[] = [...features.map(({ feature }) => feature), ...categoryKeys, SOLVENT_SYSTEM];
  const color = known.find((one) => one === name);
  if (color === undefined) throw new ServiceError('INVALID_PARAMETER', `"${name}" gives no color.`);
  return color;
}

/** The records that match by two features; beyond the limit a sample, which is spread by a hash of the record id. */
export async function points(
  reading: Reading,
  filter: Filter,
  { x, y, color, limit, nulls }: PointsQuestion,
): Promise<Points> {
  const takeTurns = inSlices();
  const { total, parts } = await matchingRows(reading, filter);
  const colorsOf = await colorReader(reading, color);
  const excluded = new ExcludedCounts();
  const hashes = new Float64Array(total);
  let [candidates, placed] = [0, 0];
  const shown: { part: RowsPart; rows: number[]; xs: ByRow; ys: ByRow; ids: ByRow }[] = [];
  for (const part of parts) {
    const { xs, ys, isPlaced } = placedRows(part, { feature: x, isLog: false }, { feature: y, isLog: false }, excluded);
    const ids = intsOf(part, ({ recordId }) => recordId);
    const rows: number[] = [];
    for (let row = 0; row < part.places.length; row += 1) {
      if (row % 8_192 === 0) await takeTurns();
      const isOne = isPlaced(row);
      if (isOne) placed += 1;
      if (!isOne && !nulls) continue;
      rows.push(row);
      hashes[candidates++] = hashOfId(ids(row));
    }
    shown.push({ part, rows, xs, ys, ids });
  }
  const sampled = candidates > limit;
  const [last = Infinity] = sampled ? await valuesAt(hashes.subarray(0, candidates), [limit - 1]) : [];
  const answer: Points = { total, placed, sampled, recordId: [], x: [], y: [], excluded: excluded.list() };
  if (colorsOf) answer.color = [];
  for (const { part, rows, xs, ys, ids } of shown) {
    const colorAt = colorsOf?.(part);
    for (const [at, row] of rows.entries()) {
      if (at % 8_192 === 0) await takeTurns();
      const recordId = ids(row);
      if (sampled && hashOfId(recordId) > last) continue;
      answer.recordId.push(recordId);
      answer.x.push(numberOrNull(xs(row)));
      answer.y.push(numberOrNull(ys(row)));
      if (colorAt) answer.color?.push(colorAt(row));
    }
  }
  return answer;
}

type ByRow = (row: number) => number;
type ColorAt = (row: number) => number | string | null;

const numberOrNull = (value = NaN): number | null => (Number.isNaN(value) ? null : value);

async function colorReader(
  reading: Reading,
  color: Color | undefined,
): Promise<((part: RowsPart) => ColorAt) | undefined> {
  if (color === undefined) return undefined;
  const feature = featureKeys.findIndex((key) => key === color);
  if (feature >= 0) {
    return (part) => {
      const values = doublesOf(part, feature);
      return (row) => numberOrNull(values(row));
    };
  }
  const isSystem = color === SOLVENT_SYSTEM;
  const key = isSystem ? 'solvent' : categoryKeys.find((one) => one === color);
  if (key === undefined) throw new Error(`${color} gives no color`);
  const category = await categoryOf(reading, key);
  const textOf = textsById(category, isSystem);
  return (part) => {
    const ids = intsOf(part, category.ids);
    return (row) => textOf(ids(row));
  };
}

/** The text of an id: the first of its values, or all of them. */
function textsById({ values, valuesOfId }: Category, isWhole: boolean): (id: number) => string | null {
  const known = new Map<number, string | null>([[0, null]]);
  return (id) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const texts = (valuesOfId[id] ?? []).map((value) => values[value] ?? '').sort(byCodePoint);
    const text = (isWhole ? texts.join('–') : texts[0]) ?? null;
    known.set(id, text);
    return text;
  };
}
