import type { SortKey } from '@esd/record/filter/sort-keys';
import { type CodedColumn, FIRST_NUMBER } from './coded-column.ts';
import type { Columns } from './columns.ts';
import { countCodes } from './distribution.ts';
import type { IndexAtState } from './matching-rows.ts';
import { yieldAfterSlice } from './slices.ts';

/** A column by which rows are sorted. Rows without a value come last in both directions. */
interface ColumnKey {
  readonly column: CodedColumn;
  /** The codes of values, in the order of the key. */
  readonly codes: Int32Array;
  /** By code: its position in `codes`; the length of `codes` for a row without a value. */
  readonly ranks: Int32Array;
}

interface RecordIdKey {
  readonly descending: boolean;
}

/** The maximum number of rows for which sorting by comparison is cheaper than counting codes. */
const FEW = 1_024;

/**
 * Sorts rows, which are ordered by record id, and returns those in the range `[from, to)`. Ties are ordered by record id. The counts
 * of the codes of the first key show which codes the range spans; only their rows are sorted by the other keys.
 */
export async function sortedRows(
  index: IndexAtState,
  rows: Int32Array,
  sort: readonly SortKey[],
  [from, to]: readonly [number, number] = [0, rows.length],
): Promise<Int32Array> {
  const keys: (ColumnKey | RecordIdKey)[] = [];
  for (const { key, descending } of sort) {
    keys.push(key === 'recordId' ? { descending } : await columnKey(index, key, descending));
  }
  const sorted = new Int32Array(Math.max(0, Math.min(to, rows.length) - from));
  await writeSorted(index.columns, keys, rows, { from, to }, sorted);
  return sorted;
}

async function columnKey(
  { columns, dictionary }: IndexAtState,
  key: Exclude<SortKey['key'], 'recordId'>,
  descending: boolean,
): Promise<ColumnKey> {
  if (key === 'doi') return keyOf(columns.terms.doi, await dictionary.sorted(key), descending);
  const column = key === 'publishedAt' ? columns.publishedAt : columns.features[key];
  return keyOf(column, await column.sorted(), descending);
}

function keyOf(column: CodedColumn, ascending: Int32Array, descending: boolean): ColumnKey {
  const codes = descending ? ascending.toReversed() : ascending;
  const ranks = new Int32Array(Math.max(column.codeEnd, FIRST_NUMBER)).fill(codes.length);
  for (let rank = 0; rank < codes.length; rank += 1) ranks[codes[rank] ?? 0] = rank;
  return { column, codes, ranks };
}

/** Writes the sorted rows in the range `[from, to)`, or fewer at the end. */
async function writeSorted(
  columns: Columns,
  keys: readonly (ColumnKey | RecordIdKey)[],
  rows: Int32Array,
  { from, to }: { from: number; to: number },
  sorted: Int32Array,
): Promise<void> {
  await yieldAfterSlice();
  const [key, ...others] = keys;
  if (key === undefined || !('column' in key)) {
    const ordered = key?.descending === true ? rows.toReversed() : rows;
    sorted.set(ordered.subarray(from, to));
    return;
  }
  if (rows.length <= FEW) {
    sorted.set(sortFew(columns, keys, rows).subarray(from, to));
    return;
  }
  const groups = await groupsOf(key, rows, from, to);
  let [start, written] = [groups.start, 0];
  for (const group of groups.rows) {
    const part = { from: Math.max(0, from - start), to: Math.min(group.length, to - start) };
    const target = sorted.subarray(written, written + part.to - part.from);
    if (group.length === 1) target.set(group);
    else await writeSorted(columns, others, group, part, target);
    start += group.length;
    written += target.length;
  }
}

/** Groups the rows of the ranks that the range `[from, to)` spans. `start` is the position of the first row of the first group. */
async function groupsOf({ column, codes, ranks }: ColumnKey, rows: Int32Array, from: number, to: number) {
  const counts = await countCodes(column, rows);
  let [end, start] = [0, 0];
  /** Positions of the next row by rank; −1 outside the range. */
  const next = new Int32Array(codes.length + 1).fill(-1);
  const sizes: number[] = [];
  let size = 0;
  const missing = rows.length - codes.reduce((sum, code) => sum + (counts[code] ?? 0), 0);
  for (let rank = 0; rank <= codes.length && end < to; rank += 1) {
    const count = rank === codes.length ? missing : (counts[codes[rank] ?? 0] ?? 0);
    end += count;
    if (count === 0 || end <= from) continue;
    if (sizes.length === 0) start = end - count;
    next[rank] = size;
    sizes.push(count);
    size += count;
  }
  await yieldAfterSlice();
  const grouped = new Int32Array(size);
  scatter(column.codes, ranks, rows, next, grouped);
  let begin = 0;
  return { start, rows: sizes.map((length) => grouped.subarray(begin, (begin += length))) };
}

function scatter(codes: Int32Array, ranks: Int32Array, rows: Int32Array, next: Int32Array, grouped: Int32Array): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const slot = rows[at] ?? 0;
    const rank = ranks[codes[slot] ?? 0] ?? 0;
    const position = next[rank] ?? -1;
    if (position < 0) continue;
    grouped[position] = slot;
    next[rank] = position + 1;
  }
}

function sortFew({ recordId }: Columns, keys: readonly (ColumnKey | RecordIdKey)[], rows: Int32Array): Int32Array {
  return rows.slice().sort((one, other) => {
    for (const key of keys) {
      if (!('column' in key)) {
        const difference = (recordId[one] ?? 0) - (recordId[other] ?? 0);
        return key.descending ? -difference : difference;
      }
      const {
        column: { codes },
        ranks,
      } = key;
      const difference = (ranks[codes[one] ?? 0] ?? 0) - (ranks[codes[other] ?? 0] ?? 0);
      if (difference !== 0) return difference;
    }
    // Rows are ordered by record id, and the sort is stable.
    return 0;
  });
}
