import { isUnexplained } from '@esd/record/catalog/unexplained';
import { NO_VALUE } from '../read-index/coded-column.ts';
import { allRows, findSlot, type IndexAtState, matchingRows } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';

const MAX_LISTED = 1_000;

/** Other records with the settings of a record, whose fiber diameters differ from its own by more than a factor of 1.5. */
export interface Unexplained {
  /** Their ids, ascending; at most 1,000. */
  records: number[];
  /** The range of these diameters and that of the record, in nm. */
  low: number;
  high: number;
}

const flagsByRows = new WeakMap<Int32Array, Uint8Array>();

/** Finds the records that another one contradicts. Returns 1 for each of them, by slot. Cached by state. */
async function unexplainedFlags(index: IndexAtState): Promise<Uint8Array> {
  const rows = await allRows(index);
  const cached = flagsByRows.get(rows);
  if (cached) return cached;
  const { recordId, settingsKeys } = index.columns;
  const flags = new Uint8Array(recordId.length);
  /** By code of the settings. */
  const lows = new Float64Array(settingsKeys.codeEnd).fill(Infinity);
  const highs = new Float64Array(settingsKeys.codeEnd);
  await forEachMeasured(index, rows, (_, code, diameter) => {
    lows[code] = Math.min(lows[code] ?? diameter, diameter);
    highs[code] = Math.max(highs[code] ?? diameter, diameter);
  });
  await forEachMeasured(index, rows, (slot, code, diameter) => {
    const extremes = [lows[code] ?? diameter, highs[code] ?? diameter];
    if (extremes.some((extreme) => isUnexplained(extreme, diameter))) flags[slot] = 1;
  });
  flagsByRows.set(rows, flags);
  return flags;
}

/** Visits the rows that have a paper and a fiber diameter, with the code of their settings. */
async function forEachMeasured(
  { columns: { settingsKeys, features } }: IndexAtState,
  rows: Int32Array,
  visit: (slot: number, code: number, diameter: number) => void,
): Promise<void> {
  const { codes } = settingsKeys;
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      const code = codes[slot] ?? NO_VALUE;
      const diameter = features.fiberDiameter.numberAt(slot);
      // A missing diameter is NaN.
      if (code !== NO_VALUE && diameter > 0) visit(slot, code, diameter);
    }
  });
}

/** Counts the rows that another record of the same settings contradicts. */
export async function countUnexplained(index: IndexAtState, rows: Int32Array): Promise<number> {
  const flags = await unexplainedFlags(index);
  let count = 0;
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) count += flags[slots[at] ?? 0] ?? 0;
  });
  return count;
}

/** Finds for each of some rows the records that contradict it; with `once`, one of each group of repeats. By slot. */
export async function unexplainedOf(
  index: IndexAtState,
  slots: readonly number[],
): Promise<ReadonlyMap<number, Unexplained>> {
  const flags = await unexplainedFlags(index);
  const { recordId, features, settingsKeys } = index.columns;
  const { codes } = settingsKeys;
  const contradicted = slots.filter((slot) => flags[slot] === 1);
  /** By code of the settings: the rows that another one contradicts. */
  const groups = new Map(contradicted.map((slot) => [codes[slot] ?? NO_VALUE, new Array<number>()]));
  if (groups.size > 0) {
    await inSteps(await matchingRows(index, []), (part) => {
      for (let at = 0, end = part.length; at < end; at += 1) {
        const slot = part[at] ?? 0;
        if (flags[slot] === 1) groups.get(codes[slot] ?? NO_VALUE)?.push(slot);
      }
    });
  }
  const diameterOf = (slot: number): number => features.fiberDiameter.numberAt(slot);
  return new Map(
    contradicted.map((slot) => {
      const diameter = diameterOf(slot);
      const group = groups.get(codes[slot] ?? NO_VALUE) ?? [];
      const contradicting = group.filter((member) => isUnexplained(diameterOf(member), diameter));
      const diameters = [diameter, ...contradicting.map(diameterOf)];
      const records = contradicting.slice(0, MAX_LISTED).map((member) => recordId[member] ?? 0);
      return [slot, { records, low: Math.min(...diameters), high: Math.max(...diameters) }];
    }),
  );
}

/** Finds the records that contradict a record; null without one, or if the record is not public. */
export async function unexplainedOfRecord(index: IndexAtState, recordId: number): Promise<Unexplained | null> {
  const slot = await findSlot(index, recordId);
  return slot === undefined ? null : ((await unexplainedOf(index, [slot])).get(slot) ?? null);
}
