import { byCodePoint } from '@esd/record/filter/text-order';
import { FIRST_NUMBER } from '../read-index/coded-column.ts';
import { distributionOf } from '../read-index/distribution.ts';
import { inSteps } from '../read-index/slices.ts';
import { type IndexAtState, matchingRows, repeatsIn } from '../read-index/matching-rows.ts';
import { categoryOf } from './categories.ts';
import { facets } from './facets.ts';
import { firstOf } from './first-of.ts';
import { quantilesOf } from './quantiles.ts';
import { sampleRows } from './sample.ts';
import { FAILED } from './summary.ts';

interface OverviewQuestion {
  polymers: number;
  diameters: number;
  additions: number;
}

const DAY_MS = 86_400_000;

export async function overview(index: IndexAtState, limits: OverviewQuestion) {
  const rows = await matchingRows(index, []);
  const keys = ['polymer', 'doi', 'solventSystem'] as const;
  const { facets: counted } = await facets(index, [], { keys, limit: limits.polymers });
  // The limit covers all polymers, because a listed one can have few failures.
  const limit = counted.polymer?.distinct ?? 0;
  const { total: unstable, facets: ofFailed } = await facets(index, FAILED, { keys, limit });
  const failures = ofFailed.polymer?.values ?? [];
  const polymers = counted.polymer?.values ?? [];
  const { sampled, byPolymer } = await fibersOf(index, rows, polymers, limits.diameters);
  return {
    total: rows.length,
    papers: counted.doi?.distinct ?? 0,
    polymers: counted.polymer?.distinct ?? 0,
    solventSystems: counted.solventSystem?.distinct ?? 0,
    unstable,
    failures: {
      papers: ofFailed.doi?.distinct ?? 0,
      polymers: failures.map(({ value }) => value).slice(0, limits.polymers),
    },
    repeats: await repeatsIn(index, rows),
    sampled,
    byPolymer: byPolymer.map((figures) => ({
      ...figures,
      unstable: failures.find(({ value }) => value === figures.polymer)?.count ?? 0,
    })),
    additions: await lastAdditions(index, rows, limits.additions),
  };
}

async function fibersOf(
  index: IndexAtState,
  rows: Int32Array,
  polymers: readonly { value: string; count: number }[],
  limit: number,
) {
  const { column, values, valuesOf } = await categoryOf(index, 'polymer');
  const diameters = index.columns.features.fiberDiameter;
  const groups = polymers.map(({ value, count }) => ({
    polymer: value,
    records: count,
    filled: 0,
    rows: new Int32Array(count),
  }));
  const ofValue = new Map(groups.map((group) => [values.indexOf(group.polymer), group]));
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      if ((diameters.codes[slot] ?? 0) < FIRST_NUMBER) continue;
      for (const value of valuesOf[column.codes[slot] ?? 0] ?? []) {
        const group = ofValue.get(value);
        if (group) group.rows[group.filled++] = slot;
      }
    }
  });
  const withDiameter = groups.map((group) => group.rows.subarray(0, group.filled));
  const measured = Int32Array.from(withDiameter.flatMap((slots) => [...slots]));
  const sampledSlots = new Set(await sampleRows(index.columns, measured, limit));
  const byPolymer = [];
  for (const [at, { polymer, records, filled }] of groups.entries()) {
    const slots = withDiameter[at] ?? new Int32Array();
    const [min, median, max] = quantilesOf(await distributionOf(diameters, slots), [0, 0.5, 1]);
    byPolymer.push({
      polymer,
      records,
      withDiameter: filled,
      min,
      median,
      max,
      diameters: Array.from(
        slots.filter((slot) => sampledSlots.has(slot)),
        (slot) => diameters.numberAt(slot),
      ),
    });
  }
  return { sampled: measured.length > limit, byPolymer };
}

async function lastAdditions(index: IndexAtState, rows: Int32Array, limit: number) {
  const [doi, polymer] = [await categoryOf(index, 'doi'), await categoryOf(index, 'polymer')];
  const { publishedAt: times } = index.columns;
  interface Group {
    doi: number | undefined;
    lastAt: number;
    records: number;
    polymers: Set<number>;
  }
  const groups = new Map<string, Group>();
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      const publishedAt = times.numberAt(slot);
      const [value] = doi.valuesOf[doi.column.codes[slot] ?? 0] ?? [];
      const key = `${Math.floor(publishedAt / DAY_MS)} ${value ?? ''}`;
      const group = groups.get(key) ?? { doi: value, lastAt: 0, records: 0, polymers: new Set() };
      groups.set(key, group);
      group.records += 1;
      group.lastAt = Math.max(group.lastAt, publishedAt);
      for (const name of polymer.valuesOf[polymer.column.codes[slot] ?? 0] ?? []) group.polymers.add(name);
    }
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
