import type { RecordContext } from '@esd/pages/record-context';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { recordWarnings } from '@esd/record/validate/record-warnings';
import { ServiceError } from '@esd/service/errors';
import { NO_VALUE } from '../read-index/coded-column.ts';
import { distributionOf, forEachNumber } from '../read-index/distribution.ts';
import { findSlot, type IndexAtState, matchingRows, representativeOf, totalsOf } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';
import { binsOfNumbers } from './bins.ts';
import { categoryOf, namesOf } from './categories.ts';
import { featureScale, numberOrNull } from './feature-scales.ts';
import { isStable } from './nearest.ts';
import type { Recipe } from './recipe.ts';
import { repeatsOf } from './repeats.ts';
import { unexplainedOf } from './unexplained.ts';

/** The features that are compared with other experiments: process settings, not results. */
const SETTINGS: readonly Feature[] = [
  'concentration',
  'needleDiameter',
  'voltage',
  'flowRate',
  'tipDist',
  'temp',
  'humidity',
];
const MAX_SIBLINGS = 200;
const MAX_REPEATS = 50;

export type ReadBodies = (rowIds: readonly number[]) => Promise<readonly Buffer[]>;

export interface FoundRecord {
  /** The rows that it is compared with. */
  rows: Int32Array;
  slot: number;
}

/** Finds a public record. Throws RECORD_NOT_FOUND. */
export async function findRecord(index: IndexAtState, recordId: number): Promise<FoundRecord> {
  const slot = await findSlot(index, recordId);
  if (slot === undefined) throw new ServiceError('RECORD_NOT_FOUND', `There is no published record ${recordId}.`);
  return { rows: await matchingRows(index, []), slot };
}

/** Returns a recipe of the settings and the solution of a record; undefined without a setting or a polymer. */
export async function recipeOf(index: IndexAtState, { slot }: FoundRecord): Promise<Recipe | undefined> {
  const compared: { keys: (typeof features)[number]; value: number }[] = [];
  for (const keys of features) {
    const value = index.columns.features[keys.feature].numberAt(slot);
    if (!SETTINGS.includes(keys.feature) || Number.isNaN(value)) continue;
    if (value <= 0 && (await featureScale(index, keys.feature)).isLog) continue;
    compared.push({ keys, value });
  }
  const [polymer, solvent] = [await categoryOf(index, 'polymer'), await categoryOf(index, 'solvent')];
  const [polymers, solvents] = [polymer, solvent].map((category) =>
    namesOf(category, category.column.codes[slot] ?? 0),
  );
  if (compared.length === 0 || polymers === undefined || polymers.length === 0) return undefined;
  return { values: compared, polymers, solvents: solvents?.length === 0 ? undefined : solvents };
}

/** Describes a record within the dataset: its values in histograms, the same solution in its paper, and records that repeat it. */
export async function recordContext(
  index: IndexAtState,
  recordId: number,
  record: FoundRecord,
  bins: number,
  readBodies: ReadBodies,
) {
  const { columns } = index;
  const { ofPaper, solution } = await siblingsOf(index, record);
  const [body] = await readBodies([columns.rowId[record.slot] ?? 0]);
  if (!body) throw new Error(`the record ${recordId} has no body`);
  const { data } = parsePublicRecord(body.toString());
  return {
    recordId,
    total: record.rows.length,
    positions: await histogramsOf(index, record, bins),
    ofPaper,
    sameSolution: {
      total: solution.length,
      records: solution.slice(0, MAX_SIBLINGS).map((slot) => siblingOf(index, slot)),
    },
    unexplained: (await unexplainedOf(index, [record.slot])).get(record.slot) ?? null,
    repeats: (await repeatsOf(index, [record.slot], MAX_REPEATS)).get(record.slot) ?? [],
    warnings: [...new Set(recordWarnings(data, index.references).map(({ code }) => code))],
  };
}

async function histogramsOf(index: IndexAtState, { rows, slot }: FoundRecord, bins: number) {
  const histograms = [];
  for (const { feature, unit } of features) {
    const column = index.columns.features[feature];
    const value = column.numberAt(slot);
    if (Number.isNaN(value)) continue;
    const distribution = await distributionOf(column, rows);
    const { count } = distribution;
    const { isLog } = await featureScale(index, feature);
    const { edges, binOf } = binsOfNumbers(distribution, { bins, isLog });
    const counts = Array.from({ length: Math.max(0, edges.length - 1) }, () => 0);
    let lower = 0;
    forEachNumber(distribution, (number, records) => {
      const bin = binOf(number);
      if (number < value) lower += records;
      counts[bin] = (counts[bin] ?? 0) + records;
    });
    histograms.push({ feature, unit, value, count, lower, scale: isLog ? 'log' : 'linear', edges, counts });
  }
  return histograms;
}

/** Counts the records of the same paper, and finds those with the same solution. */
async function siblingsOf(
  index: IndexAtState,
  { rows, slot: recordSlot }: FoundRecord,
): Promise<{ ofPaper: RecordContext['ofPaper']; solution: number[] }> {
  const { codes: dois } = index.columns.terms.doi;
  const solution: number[] = [];
  const paper: number[] = [];
  if (dois[recordSlot] === NO_VALUE) return { ofPaper: { total: 0, records: 0 }, solution };
  const isSameSolution = await solutionComparer(index, recordSlot);
  const representative = await representativeOf(index, recordSlot);
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      if (dois[slot] !== dois[recordSlot]) continue;
      paper.push(slot);
      // The record itself replaces the one that represents its group.
      if (isSameSolution(slot)) solution.push(slot === representative ? recordSlot : slot);
    }
  });
  return { ofPaper: await totalsOf(index, Int32Array.from(paper)), solution };
}

async function solutionComparer(index: IndexAtState, recordSlot: number): Promise<(slot: number) => boolean> {
  const concentration = index.columns.features.concentration;
  const categories = [await categoryOf(index, 'polymer'), await categoryOf(index, 'solvent')];
  const textOf = (slot: number): string =>
    JSON.stringify([
      concentration.numberAt(slot),
      ...categories.map((category) => namesOf(category, category.column.codes[slot] ?? 0)),
    ]);
  const recordText = textOf(recordSlot);
  return (slot) => textOf(slot) === recordText;
}

function siblingOf(index: IndexAtState, slot: number) {
  const valueOf = (feature: Feature): number | null => numberOrNull(index.columns.features[feature].numberAt(slot));
  return {
    recordId: index.columns.recordId[slot] ?? 0,
    voltage: valueOf('voltage'),
    tipDist: valueOf('tipDist'),
    fiberDiameter: valueOf('fiberDiameter'),
    isFormationStable: isStable(index.columns.stability.codes[slot]),
  };
}
