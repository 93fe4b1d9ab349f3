import type { Filter } from '@esd/record/filter/filter';
import { byCodePoint } from '@esd/record/filter/text-order';
import { STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { categoryOf } from './categories.ts';
import { firstOf } from './first-of.ts';
import { doublesOf, intsOf, matchingRows } from './matching-rows.ts';

/** What a paper gave to the dataset. */
export interface Paper {
  /** The normalized DOI, or the text that stands in its place. */
  doi: string;
  records: number;
  /** By name. */
  polymers: string[];
  /** Records whose fiber formation was not stable. */
  unstable: number;
  /** Fiber diameters in nm; null where none was reported. */
  fiberDiameter: { min: number; max: number } | null;
}

export interface Papers {
  /** Records that match. */
  total: number;
  /** Records without a DOI. */
  withoutPaper: number;
  /** How many papers there are. */
  distinct: number;
  /** By records descending, then DOI. */
  papers: Paper[];
}

interface Sum {
  records: number;
  unstable: number;
  polymers: Set<number>;
  min: number;
  max: number;
}

/** The papers of the records that match, at most `limit`. */
export async function papers(reading: Reading, filter: Filter, limit: number): Promise<Papers> {
  const { total, parts } = await matchingRows(reading, filter);
  const [doi, polymer] = [await categoryOf(reading, 'doi'), await categoryOf(reading, 'polymer')];
  const diameter = featureKeys.indexOf('fiberDiameter');
  const takeTurns = inSlices();
  const sums = new Map<number, Sum>();
  let withoutPaper = 0;
  for (const part of parts) {
    const [doiOf, polymersOf, stabilityOf] = [
      intsOf(part, doi.ids),
      intsOf(part, polymer.ids),
      intsOf(part, (rows) => rows.stability),
    ];
    const diameterOf = doublesOf(part, diameter);
    for (let at = 0; at < part.places.length; at += 1) {
      if (at % 8_192 === 0) await takeTurns();
      // A record has one DOI.
      const [value] = doi.valuesOfId[doiOf(at)] ?? [];
      if (value === undefined) {
        withoutPaper += 1;
        continue;
      }
      const sum = sums.get(value) ?? { records: 0, unstable: 0, polymers: new Set(), min: Infinity, max: -Infinity };
      sums.set(value, sum);
      sum.records += 1;
      if (stabilityOf(at) === STABILITY.no) sum.unstable += 1;
      for (const name of polymer.valuesOfId[polymersOf(at)] ?? []) sum.polymers.add(name);
      const size = diameterOf(at);
      if (size < sum.min) sum.min = size;
      if (size > sum.max) sum.max = size;
    }
  }
  const nameOf = (value: number): string => doi.values[value] ?? '';
  const first = await firstOf(
    [...sums],
    limit,
    ([a, { records: ofA }], [b, { records: ofB }]) => ofB - ofA || byCodePoint(nameOf(a), nameOf(b)),
  );
  return {
    total,
    withoutPaper,
    distinct: sums.size,
    papers: first.map(([value, { records, unstable, polymers, min, max }]) => ({
      doi: nameOf(value),
      records,
      polymers: [...polymers].map((name) => polymer.values[name] ?? '').sort(byCodePoint),
      unstable,
      fiberDiameter: min <= max ? { min, max } : null,
    })),
  };
}
