import { byCodePoint } from '@esd/record/filter/text-order';
import { valuesAt } from '../read-index/columns/figures.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { categoryOf } from './categories.ts';
import { facets } from './facets.ts';
import { firstOf } from './first-of.ts';
import { doublesOf, intsOf, type MatchingRows, matchingRows, type RowsPart } from './matching-rows.ts';
import { quantilesOf } from './quantiles.ts';
import { hashOfId } from './sample.ts';

/** The fibers that a polymer gave; diameters in nm. */
export interface PolymerFigures {
  polymer: string;
  records: number;
  /** How many have a diameter; the figures are theirs, null without any. */
  withDiameter: number;
  min: number | null;
  median: number | null;
  max: number | null;
  /** Of a sample of the records where there are more than were asked for; in no order. */
  diameters: number[];
}

/** Records of a paper that were published on a day. */
export interface Addition {
  /** The day in UTC, as in 2026-11-03. */
  day: string;
  /** The normalized DOI, or the text that stands in its place; null for records without one. */
  doi: string | null;
  records: number;
  /** By name. */
  polymers: string[];
}

export interface Overview {
  total: number;
  papers: number;
  polymers: number;
  /** Sets of solvents. */
  solventSystems: number;
  /** Records whose fiber formation was not stable. */
  unstable: number;
  /** Whether there are more diameters than were asked for. */
  sampled: boolean;
  /** By records descending, then name. */
  byPolymer: PolymerFigures[];
  /** The newest first. */
  additions: Addition[];
}

interface OverviewQuestion {
  polymers: number;
  diameters: number;
  additions: number;
}

const DIAMETER = featureKeys.indexOf('fiberDiameter');
const DAY_MS = 86_400_000;
const STEP = 8_192;

/** How large the dataset is, what fibers each polymer gave, and what came last. */
export async function overview(reading: Reading, wanted: OverviewQuestion): Promise<Overview> {
  const rows = await matchingRows(reading, []);
  const keys = ['polymer', 'doi', 'isFormationStable'] as const;
  const { facets: counted } = await facets(reading, [], { keys, limit: Math.max(2, wanted.polymers) });
  const polymers = (counted.polymer?.values ?? []).slice(0, wanted.polymers);
  const { sampled, byPolymer } = await fibersOf(reading, rows, polymers, wanted.diameters);
  return {
    total: rows.total,
    papers: counted.doi?.distinct ?? 0,
    polymers: counted.polymer?.distinct ?? 0,
    solventSystems: await countSystems(reading, rows),
    unstable: counted.isFormationStable?.values.find(({ value }) => value === 'no')?.count ?? 0,
    sampled,
    byPolymer,
    additions: await lastAdditions(reading, rows, wanted.additions),
  };
}

async function countSystems(reading: Reading, { parts }: MatchingRows): Promise<number> {
  const { ids, valuesOfId, idEnd } = await categoryOf(reading, 'solvent');
  const occurs = new Uint8Array(idEnd);
  await forEachRow(parts, (part) => {
    const idOf = intsOf(part, ids);
    return (row) => {
      occurs[idOf(row)] = 1;
    };
  });
  const systems = new Set<string>();
  for (const [id, values = []] of valuesOfId.entries()) {
    if (occurs[id] === 1 && values.length > 0) systems.add(String([...values].sort((a, b) => a - b)));
  }
  return systems.size;
}

async function fibersOf(
  reading: Reading,
  { parts }: MatchingRows,
  polymers: readonly { value: string; count: number }[],
  limit: number,
): Promise<Pick<Overview, 'sampled' | 'byPolymer'>> {
  const { ids, values, valuesOfId } = await categoryOf(reading, 'polymer');
  const found = polymers.map(({ value, count }) => ({
    polymer: value,
    records: count,
    filled: 0,
    diameters: new Float64Array(count),
    hashes: new Float64Array(count),
  }));
  const ofValue = new Map(found.map((one) => [values.indexOf(one.polymer), one]));
  await forEachRow(parts, (part) => {
    const [idOf, recordIdOf, diameterOf] = [
      intsOf(part, ids),
      intsOf(part, ({ recordId }) => recordId),
      doublesOf(part, DIAMETER),
    ];
    return (row) => {
      const diameter = diameterOf(row);
      if (Number.isNaN(diameter)) return;
      for (const value of valuesOfId[idOf(row)] ?? []) {
        const one = ofValue.get(value);
        if (!one) continue;
        one.diameters[one.filled] = diameter;
        one.hashes[one.filled++] = hashOfId(recordIdOf(row));
      }
    };
  });
  const all = found.reduce((sum, { filled }) => sum + filled, 0);
  const hashes = new Float64Array(all);
  let at = 0;
  for (const one of found) {
    hashes.set(one.hashes.subarray(0, one.filled), at);
    at += one.filled;
  }
  const sampled = all > limit;
  const [last = Infinity] = sampled ? await valuesAt(hashes, [limit - 1]) : [];
  const byPolymer: PolymerFigures[] = [];
  for (const { polymer, records, filled, diameters, hashes: own } of found) {
    const known = diameters.subarray(0, filled);
    const [min, median, max] = await quantilesOf(known, [0, 0.5, 1]);
    const shown = [...known.filter((_, place) => (own[place] ?? 0) <= last)];
    byPolymer.push({ polymer, records, withDiameter: filled, min, median, max, diameters: shown });
  }
  return { sampled, byPolymer };
}

async function lastAdditions(reading: Reading, { parts }: MatchingRows, limit: number): Promise<Addition[]> {
  const [doi, polymer] = [await categoryOf(reading, 'doi'), await categoryOf(reading, 'polymer')];
  interface Group {
    doi: number | undefined;
    lastAt: number;
    records: number;
    polymers: Set<number>;
  }
  const groups = new Map<string, Group>();
  await forEachRow(parts, (part) => {
    const [doiOf, polymersOf] = [intsOf(part, doi.ids), intsOf(part, polymer.ids)];
    return (row) => {
      const place = part.places[row] ?? 0;
      const publishedAt = (place < 0 ? part.tail.publishedAt[~place] : part.rows.publishedAt[place]) ?? NaN;
      if (Number.isNaN(publishedAt)) return;
      const [value] = doi.valuesOfId[doiOf(row)] ?? [];
      const key = `${Math.floor(publishedAt / DAY_MS)} ${value ?? ''}`;
      const group = groups.get(key) ?? { doi: value, lastAt: 0, records: 0, polymers: new Set() };
      groups.set(key, group);
      group.records += 1;
      group.lastAt = Math.max(group.lastAt, publishedAt);
      for (const name of polymer.valuesOfId[polymersOf(row)] ?? []) group.polymers.add(name);
    };
  });
  const nameOf = ({ doi: value }: Group): string => (value === undefined ? '' : (doi.values[value] ?? ''));
  const newest = await firstOf(
    groups.values(),
    limit,
    (a, b) => b.lastAt - a.lastAt || byCodePoint(nameOf(a), nameOf(b)),
  );
  return newest.map((group) => ({
    day: new Date(group.lastAt).toISOString().slice(0, 10),
    doi: group.doi === undefined ? null : nameOf(group),
    records: group.records,
    polymers: [...group.polymers].map((value) => polymer.values[value] ?? '').sort(byCodePoint),
  }));
}

/** Calls `visit` with each row of the parts, a part after the other. */
async function forEachRow(parts: readonly RowsPart[], of: (part: RowsPart) => (row: number) => void): Promise<void> {
  const takeTurns = inSlices();
  for (const part of parts) {
    const visit = of(part);
    for (let row = 0; row < part.places.length; row += 1) {
      if (row % STEP === 0) await takeTurns();
      visit(row);
    }
  }
}
