import type { Filter } from '@esd/record/filter/filter';
import { byCodePoint } from '@esd/record/filter/text-order';
import { STABILITY } from '../read-index/columns.ts';
import { inSteps } from '../read-index/take-turns.ts';
import { matchingRows, type Reading } from '../read-index/matching-rows.ts';
import { categoryOf } from './categories.ts';
import { firstOf } from './first-of.ts';

interface Sum {
  records: number;
  unstable: number;
  polymers: Set<number>;
  min: number;
  max: number;
}

/** Lists the papers of the matching records, at most `limit`, by number of records. */
export async function papers(reading: Reading, filter: Filter, limit: number) {
  const rows = await matchingRows(reading, filter);
  const [doi, polymer] = [await categoryOf(reading, 'doi'), await categoryOf(reading, 'polymer')];
  const { codes: stability } = reading.columns.stability;
  const diameters = reading.columns.features.fiberDiameter;
  const sums = new Map<number, Sum>();
  let withoutPaper = 0;
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const slot = part[at] ?? 0;
      const [value] = doi.valuesOf[doi.column.codes[slot] ?? 0] ?? [];
      if (value === undefined) {
        withoutPaper += 1;
        continue;
      }
      const sum = sums.get(value) ?? { records: 0, unstable: 0, polymers: new Set(), min: Infinity, max: -Infinity };
      sums.set(value, sum);
      sum.records += 1;
      if (stability[slot] === STABILITY.no) sum.unstable += 1;
      for (const name of polymer.valuesOf[polymer.column.codes[slot] ?? 0] ?? []) sum.polymers.add(name);
      const size = diameters.numberAt(slot);
      if (size < sum.min) sum.min = size;
      if (size > sum.max) sum.max = size;
    }
  });
  const nameOf = (value: number): string => doi.values[value] ?? '';
  const first = await firstOf(
    [...sums],
    limit,
    ([a, { records: ofA }], [b, { records: ofB }]) => ofB - ofA || byCodePoint(nameOf(a), nameOf(b)),
  );
  return {
    total: rows.length,
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
