import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import { parsePublicRecord } from '@esd/record/catalogue/public-record';
import { recordDifference } from '@esd/record/catalogue/record-difference';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { recordWarnings } from '@esd/record/validate/record-warnings';
import { ServiceError } from '@esd/service/errors';
import { type RowColumns, STABILITY } from '../read-index/columns/row-columns.ts';
import { inSlices } from '../read-index/columns/take-turns.ts';
import { featureKeys, termKeys } from '../read-index/index-row.table.ts';
import type { Reading } from '../read-index/read-index.ts';
import { binsOf } from './bins.ts';
import { categoryOf } from './categories.ts';
import { featureFigures } from './feature-figures.ts';
import { featureScale } from './feature-scales.ts';
import { doublesOf, intsOf, type MatchingRows, matchingRows, type RowsPart } from './matching-rows.ts';
import type { Recipe } from './recipe.ts';

/** Where a value lies among all public ones of its feature. */
export interface Place {
  feature: Feature;
  unit: string;
  value: number;
  /** How many records have one, this one among them. */
  count: number;
  /** How many have a lower one. */
  lower: number;
  scale: 'linear' | 'log';
  edges: readonly number[];
  counts: number[];
}

/** A record of the same paper and solution; numbers in the units of the filters. */
export interface Sibling {
  recordId: number;
  voltage: number | null;
  tipDist: number | null;
  fiberDiameter: number | null;
  isFormationStable: boolean | null;
}

export interface RecordContext {
  recordId: number;
  /** Public records. */
  total: number;
  places: Place[];
  /** Records of the same paper, this one among them; 0 without a paper. */
  ofPaper: number;
  /** Those of them with the same polymers, solvents and concentration, this one among them; by id. */
  sameSolution: { total: number; records: Sibling[] };
  /** Records that are the same in every field, by id. */
  repeats: number[];
  /** What is odd about the record, as codes of warnings. */
  doubts: string[];
}

/** What is compared with other experiments: what people set, not what came out. */
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
const STEP = 8_192;
const DOI = termKeys.indexOf('doi');

/** Bodies of rows, in the order asked for. */
export type ReadBodies = (rowIds: readonly number[]) => Promise<readonly Buffer[]>;

interface OwnRow {
  part: RowsPart;
  row: number;
}

/** A record of a reading, in the columns. */
export interface FoundRecord {
  rows: MatchingRows;
  own: OwnRow;
  /** By `featureKeys`; NaN where there is none. */
  values: readonly number[];
}

/** Finds a public record. Throws RECORD_NOT_FOUND. */
export async function findRecord(reading: Reading, recordId: number): Promise<FoundRecord> {
  const rows = await matchingRows(reading, []);
  const takeTurns = inSlices();
  for (const part of rows.parts) {
    const idOf = intsOf(part, (columns) => columns.recordId);
    for (let row = 0; row < part.places.length; row += 1) {
      if (row % STEP === 0) await takeTurns();
      if (idOf(row) !== recordId) continue;
      return { rows, own: { part, row }, values: featureKeys.map((_, at) => numberAt({ part, row }, at)) };
    }
  }
  throw new ServiceError('RECORD_NOT_FOUND', `There is no published record ${recordId}.`);
}

/** The settings and the solution of a record as a recipe; undefined where it has none to compare by. */
export async function recipeOf(reading: Reading, { own, values }: FoundRecord): Promise<Recipe | undefined> {
  const compared: { keys: (typeof features)[number]; value: number }[] = [];
  for (const keys of features) {
    const value = values[featureKeys.indexOf(keys.feature)] ?? NaN;
    if (!SETTINGS.includes(keys.feature) || Number.isNaN(value)) continue;
    // What has no logarithm cannot be compared where logarithms are.
    if (value <= 0 && (await featureScale(reading, keys)).isLog) continue;
    compared.push({ keys, value });
  }
  const [polymers, solvents] = [await namesOf(reading, 'polymer', own), await namesOf(reading, 'solvent', own)];
  if (compared.length === 0 || polymers.length === 0) return undefined;
  return { values: compared, polymers, solvents: solvents.length === 0 ? undefined : solvents };
}

/** What there is around a record, but for its neighbors. */
export async function recordContext(
  reading: Reading,
  recordId: number,
  found: FoundRecord,
  bins: number,
  readBodies: ReadBodies,
): Promise<RecordContext> {
  const { rows, own } = found;
  const { ofPaper, solution, alike } = await siblingsOf(reading, found);
  const rowIdOf = (one: OwnRow): number => intAt(one, (columns) => columns.rowId);
  const [body, ...others] = (await readBodies([own, ...alike].map(rowIdOf))).map(
    (bytes) => parsePublicRecord(bytes.toString()).data,
  );
  if (!body) throw new Error(`the record ${recordId} has no body`);
  return {
    recordId,
    total: rows.total,
    places: await placesOf(reading, found, bins),
    ofPaper,
    sameSolution: { total: solution.length, records: solution.slice(0, MAX_SIBLINGS).map(siblingOf) },
    repeats: alike.flatMap((one, at) => (isSame(body, others[at]) ? [recordIdOf(one)] : [])),
    doubts: [...new Set(recordWarnings(body, reading.references).map(({ code }) => code))],
  };
}

function isSame(one: ExperimentData, other: ExperimentData | undefined): boolean {
  return other !== undefined && recordDifference(one, other).length === 0;
}

async function placesOf(reading: Reading, { rows, values: own }: FoundRecord, bins: number): Promise<Place[]> {
  const places: Place[] = [];
  const takeTurns = inSlices();
  for (const keys of features) {
    const value = own[featureKeys.indexOf(keys.feature)] ?? NaN;
    if (Number.isNaN(value)) continue;
    const { values } = await featureFigures(rows, keys.feature);
    const { isLog } = await featureScale(reading, keys);
    let [min, max, lower] = [Infinity, -Infinity, 0];
    for (let at = 0; at < values.length; at += 1) {
      const other = values[at] ?? NaN;
      if (other < min) min = other;
      if (other > max) max = other;
      if (other < value) lower += 1;
      if (at % STEP === 0) await takeTurns();
    }
    const { edges, binOf } = binsOf(min, max, bins, isLog);
    const counts = Array.from({ length: Math.max(0, edges.length - 1) }, () => 0);
    for (let at = 0; at < values.length; at += 1) {
      const bin = binOf(values[at] ?? NaN);
      counts[bin] = (counts[bin] ?? 0) + 1;
      if (at % STEP === 0) await takeTurns();
    }
    const { feature, unit } = keys;
    places.push({ feature, unit, value, count: values.length, lower, scale: isLog ? 'log' : 'linear', edges, counts });
  }
  return places;
}

/** Of the record's paper: how many records, those of its solution, and the others that are the same by all columns. */
async function siblingsOf(
  reading: Reading,
  { rows: { parts }, own, values: ownValues }: FoundRecord,
): Promise<{ ofPaper: number; solution: OwnRow[]; alike: OwnRow[] }> {
  const takeTurns = inSlices();
  const { idEnd } = await categoryOf(reading, 'doi');
  const doiOf = (part: RowsPart): ((row: number) => number) =>
    intsOf(part, ({ terms }) => terms[DOI] ?? new Int32Array());
  const doi = intAt(own, ({ terms }) => terms[DOI] ?? new Int32Array());
  const ownStability = intAt(own, (columns) => columns.stability);
  if (doi === 0 || doi >= idEnd) return { ofPaper: 0, solution: [], alike: [] };
  const system = await solutionTexts(reading);
  const ownSystem = system(own);
  const concentration = featureKeys.indexOf('concentration');
  const ownTerms = termsOf(own);
  const [solution, alike]: OwnRow[][] = [[], []];
  let ofPaper = 0;
  for (const part of parts) {
    const doiAt = doiOf(part);
    const valuesAt = featureKeys.map((_, at) => doublesOf(part, at));
    const stability = intsOf(part, (columns) => columns.stability);
    for (let row = 0; row < part.places.length; row += 1) {
      if (row % STEP === 0) await takeTurns();
      if (doiAt(row) !== doi) continue;
      ofPaper += 1;
      const one = { part, row };
      const hasSame = (at: number): boolean => Object.is(valuesAt[at]?.(row), ownValues[at]);
      if (!hasSame(concentration) || system(one) !== ownSystem) continue;
      solution?.push(one);
      const isOwn = part === own.part && row === own.row;
      if (isOwn || stability(row) !== ownStability || alike === undefined || alike.length >= MAX_REPEATS) continue;
      if (featureKeys.every((_, at) => hasSame(at)) && termsOf(one) === ownTerms) alike.push(one);
    }
  }
  return { ofPaper, solution: solution ?? [], alike: alike ?? [] };
}

/** Reads polymers and solvents of a row as a text that is equal for equal sets. */
async function solutionTexts(reading: Reading): Promise<(one: OwnRow) => string> {
  const categories = [await categoryOf(reading, 'polymer'), await categoryOf(reading, 'solvent')];
  const sorted = (values: readonly number[] = []): number[] => [...values].sort((a, b) => a - b);
  return (one) => JSON.stringify(categories.map(({ ids, valuesOfId }) => sorted(valuesOfId[intAt(one, ids)])));
}

function termsOf(one: OwnRow): string {
  return JSON.stringify(termKeys.map((_, at) => intAt(one, ({ terms }) => terms[at] ?? new Int32Array())));
}

async function namesOf(reading: Reading, key: 'polymer' | 'solvent', one: OwnRow): Promise<string[]> {
  const { ids, values, valuesOfId } = await categoryOf(reading, key);
  return (valuesOfId[intAt(one, ids)] ?? []).map((value) => values[value] ?? '').sort(byCodePoint);
}

function recordIdOf(one: OwnRow): number {
  return intAt(one, ({ recordId }) => recordId);
}

function siblingOf(one: OwnRow): Sibling {
  const valueOf = (feature: Feature): number | null => {
    const value = numberAt(one, featureKeys.indexOf(feature));
    return Number.isNaN(value) ? null : value;
  };
  const stability = intAt(one, (columns) => columns.stability);
  return {
    recordId: recordIdOf(one),
    voltage: valueOf('voltage'),
    tipDist: valueOf('tipDist'),
    fiberDiameter: valueOf('fiberDiameter'),
    isFormationStable: stability === STABILITY.unknown ? null : stability === STABILITY.yes,
  };
}

/** One cell, without reading its column. */
function intAt({ part, row }: OwnRow, column: (rows: RowColumns) => Int32Array): number {
  const place = part.places[row] ?? 0;
  return (place < 0 ? column(part.tail)[~place] : column(part.rows)[place]) ?? 0;
}

function numberAt({ part, row }: OwnRow, feature: number): number {
  const place = part.places[row] ?? 0;
  return (place < 0 ? part.tail.features[feature]?.[~place] : part.rows.features[feature]?.[place]) ?? NaN;
}
