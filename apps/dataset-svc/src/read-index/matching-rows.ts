import { type Condition, type Filter, filterKey } from '@esd/record/filter/filter';
import { LRUCache } from 'lru-cache';
import type { DatasetState } from '../dataset-log/dataset-log.store.ts';
import type { TextsAtState } from './category-table.ts';
import type { Columns } from './columns.ts';
import { type Mask, masksOf } from './masks.ts';
import { countRepeats, groupRepeats, type RepeatGroups } from './repeat-groups.ts';
import { inSteps, sharedWork, STEP } from './slices.ts';
import { SharedCalls } from '@esd/service/rpc/shared-calls';

/** The index at one state, with the reference lists of that state. */
export interface IndexAtState extends TextsAtState {
  readonly state: DatasetState;
  readonly columns: Columns;
  readonly cache: RowsCache;
  /** Whether each group of records that repeat each other counts once, as its record with the lowest id. */
  readonly once: boolean;
}

export interface RowsCache {
  /** The rows of filters, by dataset state and filter. */
  readonly rows: LRUCache<string, Int32Array>;
  /** The groups of repeats that are being computed, by dataset state. */
  readonly grouping: SharedCalls<RepeatGroups>;
}

const CACHE_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 500;

export function openRowsCache(): RowsCache {
  const rows = new LRUCache<string, Int32Array>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ byteLength }, key) => byteLength + key.length + ENTRY_BYTES,
  });
  return { rows, grouping: new SharedCalls() };
}

/**
 * Finds the rows that match a filter at the state of an index; with `once`, only those that represent their groups.
 * Returns their slots, ordered by record id.
 */
export async function matchingRows(index: IndexAtState, filter: Filter): Promise<Int32Array> {
  const { cache } = index;
  const key = keyOf(index, filter);
  const cached = cache.rows.get(key);
  if (cached) return cached;
  const masks = await masksOf(filter, index);
  let rows: Int32Array = new Int32Array();
  if (masks?.length === 0) rows = await (index.once ? representatives(index) : validRows(index));
  else if (masks) {
    const all = await matchingRows(index, []);
    rows = await selectRows(all, (slots, target) => narrow(slots, masks, target).length);
  }
  cache.rows.set(key, rows);
  return rows;
}

function keyOf({ state, references, once }: IndexAtState, filter: Filter): string {
  return `${state.revision} ${references.revision} ${once ? 'once ' : ''}${filterKey(filter)}`;
}

/** Finds the rows of all public records, also those that repeat another one. */
export function allRows(index: IndexAtState): Promise<Int32Array> {
  return matchingRows({ ...index, once: false }, []);
}

/** Returns the groups of records that repeat each other. Cached by state. */
export async function repeatGroups(index: IndexAtState): Promise<RepeatGroups> {
  const { cache, columns, state } = index;
  const [firstKey, sizeKey] = [`${state.revision} first`, `${state.revision} size`];
  const [first, size] = [cache.rows.get(firstKey), cache.rows.get(sizeKey)];
  if (first && size) return { first, size };
  return sharedWork(cache.grouping, firstKey, async () => {
    const groups = await groupRepeats(columns, await allRows(index));
    cache.rows.set(firstKey, groups.first);
    cache.rows.set(sizeKey, groups.size);
    return groups;
  });
}

/** Returns the slot that counts for a record: with `once`, that of the record with the lowest id of its group. */
export async function representativeOf(index: IndexAtState, slot: number): Promise<number> {
  return index.once ? ((await repeatGroups(index)).first[slot] ?? slot) : slot;
}

async function representatives(index: IndexAtState): Promise<Int32Array> {
  const { first } = await repeatGroups(index);
  return selectRows(await allRows(index), (slots, target) => writeFirst(first, slots, target));
}

/** Counts rows, and the records that they represent: with `once`, also those that repeat a row. */
export async function totalsOf(index: IndexAtState, rows: Int32Array): Promise<{ total: number; records: number }> {
  const { length: total } = rows;
  if (!index.once) return { total, records: total };
  return { total, records: total + (await repeatsIn(index, rows)).records };
}

type Repeats = Awaited<ReturnType<typeof countRepeats>>;
/** By the rows of a filter, which the questions of a request share. */
const repeatsByRows = new WeakMap<Int32Array, Repeats>();

/** Counts the records that repeat one with a lower id among rows, and their groups. */
export async function repeatsIn(index: IndexAtState, rows: Int32Array): Promise<Repeats> {
  const repeats = repeatsByRows.get(rows) ?? (await countRepeats(await repeatGroups(index), rows));
  repeatsByRows.set(rows, repeats);
  return repeats;
}

export function matchingRowsExcept(index: IndexAtState, filter: Filter, key: Condition['key']): Promise<Int32Array> {
  return matchingRows(
    index,
    filter.filter((condition) => condition.key !== key),
  );
}

/** Counts the rows, ordered by record id, whose record id is at most the given one. */
export function countUpTo({ recordId }: Columns, rows: Int32Array, most: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((recordId[rows[middle] ?? 0] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Finds the slot of a record; undefined if it is not public at the state of the index. */
export async function findSlot(index: IndexAtState, recordId: number): Promise<number | undefined> {
  const rows = await allRows(index);
  const slot = rows[countUpTo(index.columns, rows, recordId - 1)];
  return slot !== undefined && index.columns.recordId[slot] === recordId ? slot : undefined;
}

/**
 * Finds the rows with the given ids at the state of an index; with `once`, the first of each group. Returns their slots, ordered by
 * record id.
 */
export async function rowsWithIds(index: IndexAtState, rowIds: Int32Array): Promise<Int32Array> {
  const { rowId } = index.columns;
  const ids = new Set(rowIds);
  const first = index.once ? (await repeatGroups(index)).first : undefined;
  /** By group. */
  const rows = new Map<number, number>();
  await inSteps(await allRows(index), (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      const group = first?.[slot] ?? slot;
      if (ids.has(rowId[slot] ?? 0) && !rows.has(group)) rows.set(group, slot);
    }
  });
  return Int32Array.from(rows.values());
}

function validRows({ columns, state: { revision } }: IndexAtState): Promise<Int32Array> {
  return selectRows(columns.order, (slots, target) => writeValid(columns, revision, slots, target));
}

/** Selects rows step by step. `write` writes those of a step to the beginning of the target and returns their number. */
export async function selectRows(
  all: Int32Array,
  write: (slots: Int32Array, target: Int32Array) => number,
): Promise<Int32Array> {
  const rows = new Int32Array(all.length);
  let count = 0;
  await inSteps(all, (slots) => {
    count += write(slots, rows.subarray(count));
  });
  return rows.slice(0, count);
}

/** Counts the matching rows and returns the first of them. Does not cache rows, because most filters are requested once. */
export async function firstRows(
  index: IndexAtState,
  filter: Filter,
  limit: number,
): Promise<{ total: number; rows: Int32Array }> {
  const cached = index.cache.rows.get(keyOf(index, filter));
  if (cached) return { total: cached.length, rows: cached.subarray(0, limit) };
  const masks = await masksOf(filter, index);
  if (!masks) return { total: 0, rows: new Int32Array() };
  const first: number[] = [];
  let total = 0;
  await inSteps(await matchingRows(index, []), (slots) => {
    const matching = narrow(slots, masks, scratch);
    if (first.length < limit) first.push(...matching.subarray(0, limit - first.length));
    total += matching.length;
  });
  return { total, rows: Int32Array.from(first) };
}

// Steps reuse one buffer, because memory outside the V8 heap triggers garbage collections.
const scratch = new Int32Array(STEP);

/** Returns the slots that satisfy all masks: a part of `rows`, or the given slots without a mask. */
function narrow(slots: Int32Array, masks: readonly Mask[], rows: Int32Array): Int32Array {
  let matching = slots;
  for (const mask of masks) matching = rows.subarray(0, writeMatching(mask, matching, rows));
  return matching;
}

// Each loop over all rows is a separate function without `await` and uses an index: `for … of` takes nine times as long.

function writeValid({ validFrom, validTo }: Columns, revision: number, slots: Int32Array, rows: Int32Array): number {
  let count = 0;
  for (let at = 0, end = slots.length; at < end; at += 1) {
    const slot = slots[at] ?? 0;
    rows[count] = slot;
    if ((validFrom[slot] ?? 0) <= revision && (validTo[slot] ?? 0) > revision) count += 1;
  }
  return count;
}

function writeFirst(first: Int32Array, slots: Int32Array, rows: Int32Array): number {
  let count = 0;
  for (let at = 0, end = slots.length; at < end; at += 1) {
    const slot = slots[at] ?? 0;
    rows[count] = slot;
    if (first[slot] === slot) count += 1;
  }
  return count;
}

/** Writes the slots that satisfy a mask, and returns their number. The target may be the slots themselves. */
export function writeMatching({ codes, matches }: Mask, slots: Int32Array, rows: Int32Array): number {
  let count = 0;
  for (let at = 0, end = slots.length; at < end; at += 1) {
    const slot = slots[at] ?? 0;
    rows[count] = slot;
    count += matches[codes[slot] ?? 0] ?? 0;
  }
  return count;
}
