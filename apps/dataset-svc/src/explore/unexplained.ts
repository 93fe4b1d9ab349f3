import { MAX_DIAMETER_RATIO } from '@esd/record/catalog/settings-text';
import { NO_VALUE } from '../read-index/coded-column.ts';
import type { Columns } from '../read-index/columns.ts';
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

/** Finds the records that another one contradicts. Returns 1 for each of them, by slot. */
async function unexplainedFlags(index: IndexAtState): Promise<Uint8Array> {
  const rows = await allRows(index);
  const known = flagsByRows.get(rows);
  if (known) return known;
  const { columns } = index;
  const [lows, highs] = [Infinity, 0].map((first) => new Float64Array(columns.settingsKeys.codeEnd).fill(first));
  const flags = new Uint8Array(columns.recordId.length);
  if (!lows || !highs) return flags;
  await inSteps(rows, (slots) => {
    addExtremes(slots, columns, lows, highs);
  });
  await inSteps(rows, (slots) => {
    setFlags(slots, columns, { lows, highs }, flags);
  });
  flagsByRows.set(rows, flags);
  return flags;
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
      const others = (groups.get(codes[slot] ?? NO_VALUE) ?? []).filter((other) => {
        const ratio = diameterOf(other) / diameter;
        return Math.max(ratio, 1 / ratio) > MAX_DIAMETER_RATIO;
      });
      const diameters = [diameter, ...others.map(diameterOf)];
      const records = others.slice(0, MAX_LISTED).map((other) => recordId[other] ?? 0);
      return [slot, { records, low: Math.min(...diameters), high: Math.max(...diameters) }];
    }),
  );
}

/** Finds the records that contradict a record; null without one, or if the record is not public. */
export async function unexplainedOfRecord(index: IndexAtState, recordId: number): Promise<Unexplained | null> {
  const slot = await findSlot(index, recordId);
  return slot === undefined ? null : ((await unexplainedOf(index, [slot])).get(slot) ?? null);
}

function addExtremes(
  slots: Int32Array,
  { settingsKeys: { codes }, features: { fiberDiameter } }: Columns,
  lows: Float64Array,
  highs: Float64Array,
): void {
  for (let at = 0, end = slots.length; at < end; at += 1) {
    const slot = slots[at] ?? 0;
    const code = codes[slot] ?? NO_VALUE;
    const diameter = fiberDiameter.numberAt(slot);
    // A missing diameter is NaN.
    if (!(diameter > 0)) continue;
    if (diameter < (lows[code] ?? 0)) lows[code] = diameter;
    if (diameter > (highs[code] ?? 0)) highs[code] = diameter;
  }
}

function setFlags(
  slots: Int32Array,
  { settingsKeys: { codes }, features: { fiberDiameter } }: Columns,
  { lows, highs }: { lows: Float64Array; highs: Float64Array },
  flags: Uint8Array,
): void {
  for (let at = 0, end = slots.length; at < end; at += 1) {
    const slot = slots[at] ?? 0;
    const code = codes[slot] ?? NO_VALUE;
    const diameter = fiberDiameter.numberAt(slot);
    if (code === NO_VALUE || !(diameter > 0)) continue;
    const isFar =
      (highs[code] ?? 0) / diameter > MAX_DIAMETER_RATIO || diameter / (lows[code] ?? diameter) > MAX_DIAMETER_RATIO;
    if (isFar) flags[slot] = 1;
  }
}
