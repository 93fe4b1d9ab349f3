import type { CodedColumn } from '../read-index/coded-column.ts';
import type { Columns } from '../read-index/columns.ts';
import { STEP, takeTurns } from '../read-index/take-turns.ts';

/** The numbers of records that equal another record in every filterable value. */
export interface Repeats {
  /** Records that equal another record, including the first of each group. */
  records: number;
  groups: number;
}

export async function repeats(columns: Columns, rows: Int32Array): Promise<Repeats> {
  const firsts = await firstOfGroups(columns, rows);
  const sizes = new Int32Array(rows.length);
  for (const first of firsts) sizes[first] = (sizes[first] ?? 0) + 1;
  const found: Repeats = { records: 0, groups: 0 };
  for (const size of sizes) {
    if (size < 2) continue;
    found.records += size;
    found.groups += 1;
  }
  return found;
}

/** Finds for each row the index of the first row with equal codes in all columns. */
async function firstOfGroups({ features, stability, terms }: Columns, rows: Int32Array): Promise<Int32Array> {
  const compared = [...Object.values(features), ...Object.values(terms), stability];
  const hashes = new Int32Array(rows.length);
  for (const [at, column] of compared.entries()) {
    addHashes(column, Math.imul(at + 1, 0x9e37_79b1), rows, hashes);
    await takeTurns();
  }
  const isEqual = (one: number, other: number): boolean =>
    compared.every(({ codes }) => codes[rows[one] ?? 0] === codes[rows[other] ?? 0]);
  /** A hash table with open addressing: the index of a first row plus one, 0 if free. */
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * rows.length + 1)));
  const last = table.length - 1;
  const firsts = new Int32Array(rows.length);
  for (let at = 0, end = rows.length; at < end; at += 1) {
    if (at % STEP === 0) await takeTurns();
    let cell = (hashes[at] ?? 0) & last;
    for (; ; cell = (cell + 1) & last) {
      const first = (table[cell] ?? 0) - 1;
      if (first < 0) table[cell] = at + 1;
      else if (hashes[first] !== hashes[at] || !isEqual(first, at)) continue;
      firsts[at] = first < 0 ? at : first;
      break;
    }
  }
  return firsts;
}

/** Adds a hash of each code, by the steps of MurmurHash3. */
function addHashes({ codes }: CodedColumn, seed: number, rows: Int32Array, hashes: Int32Array): void {
  for (let at = 0, end = rows.length; at < end; at += 1) {
    let hash = Math.imul((codes[rows[at] ?? 0] ?? 0) ^ seed, 0x85eb_ca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
    hashes[at] = (hashes[at] ?? 0) + (hash ^ (hash >>> 16));
  }
}
