import { NO_VALUE } from './coded-column.ts';
import type { Columns } from './columns.ts';
import { inSteps } from './slices.ts';

/** The groups of records that repeat each other at one state. A record that repeats no other one is a group of its own. */
export interface RepeatGroups {
  /** By slot: the slot of the record with the lowest id of its group, which represents the group. */
  readonly first: Int32Array;
  /** By slot of the record that represents a group: the number of its records. */
  readonly size: Int32Array;
}

/** Finds the groups among rows that are ordered by record id. */
export async function groupRepeats(columns: Columns, rows: Int32Array): Promise<RepeatGroups> {
  const slots = columns.recordId.length;
  const groups = { first: new Int32Array(slots), size: new Int32Array(slots) };
  const firstOfCode = new Int32Array(columns.repeatKeys.codeEnd).fill(-1);
  await inSteps(rows, (part) => {
    addToGroups(part, columns, firstOfCode, groups);
  });
  return groups;
}

/** Counts the rows that repeat one with a lower id, and their groups. The rows have whole groups, or those that represent them. */
export async function countRepeats(
  { first, size }: RepeatGroups,
  rows: Int32Array,
): Promise<{ records: number; groups: number }> {
  let [records, groups] = [0, 0];
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const slot = part[at] ?? 0;
      const others = (size[slot] ?? 0) - 1;
      if (first[slot] !== slot || others === 0) continue;
      records += others;
      groups += 1;
    }
  });
  return { records, groups };
}

function addToGroups(
  rows: Int32Array,
  { repeatKeys, terms }: Columns,
  firstOfCode: Int32Array,
  { first, size }: RepeatGroups,
): void {
  const { codes } = repeatKeys;
  const { codes: dois } = terms.doi;
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const slot = rows[at] ?? 0;
    const code = codes[slot] ?? NO_VALUE;
    let own = code === NO_VALUE ? slot : (firstOfCode[code] ?? -1);
    if (own < 0) firstOfCode[code] = slot;
    // Comparing the papers too makes equal hashes of different records even less likely.
    if (own < 0 || dois[own] !== dois[slot]) own = slot;
    first[slot] = own;
    size[own] = (size[own] ?? 0) + 1;
  }
}
