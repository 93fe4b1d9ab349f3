import { isSystemKey, recordFeatures } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { type KeyFacts, keyFacts } from '@esd/record/metadata/key-facts';
import { ServiceError } from '@esd/service/errors';
import type { PapersQuestion } from '@esd/proto/esd/dataset/v1/dataset';
import { countCodes, distributionOf } from '../read-index/distribution.ts';
import type { IndexAtState } from '../read-index/matching-rows.ts';
import { yieldAfterSlice } from '../read-index/slices.ts';
import type { PaperReads } from './paper-reads.ts';
import { type Category, categoryOf, countValues, isCategory, namesOf } from './categories.ts';
import { countStability } from './count-rows.ts';
import { firstOf } from './first-of.ts';
import { groupRows } from './group-rows.ts';
import { quantilesOf } from './quantiles.ts';

/** The settings that a design describes: those that records report. */
const designKeys = keyFacts
  .filter(
    ({ key, kind, group }) =>
      kind === 'setting' && group !== 'paper' && (isCategory(key) ? !isSystemKey(key) : isReported(key)),
  )
  .map(({ key }) => key);
const MAX_VALUES = 20;

type Sort = 'records' | 'year' | 'doi';

/** A paper of the matching records: its index in the values of `doi`, and its number of records. */
interface Counted {
  value: number;
  doi: string;
  records: number;
  year: number | undefined;
}

/**
 * Lists the papers of rows, a page at a time, with their entries and figures. A missing year comes last; ties are in
 * ascending order of `doi`. Throws INVALID_PARAMETER for an unknown order.
 */
export async function papers(index: IndexAtState, rows: Int32Array, question: PapersQuestion, reads: PaperReads) {
  const { sort, descending, skip, limit, design, citations } = question;
  const doi = await categoryOf(index, 'doi');
  const size = doi.values.length;
  const counts = countValues(doi, await countCodes(doi.column, rows), size);
  await yieldAfterSlice();
  const occurring: Counted[] = [];
  for (let value = 0; value < size; value += 1) {
    const records = counts[value] ?? 0;
    if (records === 0) continue;
    const name = doi.values[value] ?? '';
    const { year } = index.papers.valuesAt(name, index.state.revision) ?? {};
    occurring.push({ value, doi: name, records, year });
  }
  await yieldAfterSlice();
  const order = citations ? compare('doi', false) : compare(requireSort(sort), descending);
  const page = (await firstOf(occurring, skip + limit, order)).slice(skip);
  const codes = codesOf(doi, page);
  const entries = await reads.find(
    index.state,
    page.map((paper, at) => ({ code: codes[at] ?? 0, doi: paper.doi })),
  );
  const figures = citations ? [] : await figuresOf(index, await groupsOf(rows, doi, codes), design);
  return {
    data: page.map((paper, at) => {
      const { id: _, updatedAt: __, source, ...facts } = entries[at] ?? { source: null };
      return { ...facts, doi: paper.doi, source, ...(citations ? {} : { records: paper.records, ...figures[at] }) };
    }),
    total: occurring.length,
    withoutPaper: counts[size] ?? 0,
    skip,
    limit,
  };
}

function requireSort(sort: string): Sort {
  if (sort === 'records' || sort === 'year' || sort === 'doi') return sort;
  throw new ServiceError('INVALID_PARAMETER', `Papers cannot be sorted by "${sort}"; sort by records, year or doi.`);
}

function compare(sort: Sort, descending: boolean): (a: Counted, b: Counted) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (sort === 'doi') return sign * byCodePoint(a.doi, b.doi);
    const [valueA, valueB] = [a[sort], b[sort]];
    if (valueA === valueB) return byCodePoint(a.doi, b.doi);
    if (valueA === undefined || valueB === undefined) return valueA === undefined ? 1 : -1;
    return sign * (valueA - valueB);
  };
}

/** Returns the code of each paper in its column. */
function codesOf({ valuesOf, column }: Category, page: readonly Counted[]): number[] {
  const position = new Map(page.map(({ value }, at) => [value, at]));
  const codes = page.map(() => 0);
  for (let code = 0; code < column.codeEnd; code += 1) {
    const [value = -1] = valuesOf[code] ?? [];
    const at = position.get(value);
    if (at !== undefined) codes[at] = code;
  }
  return codes;
}

/** Computes the figures of each group of rows. */
async function figuresOf(index: IndexAtState, groups: readonly Int32Array[], hasDesign: boolean) {
  const { columns } = index;
  const [polymer, solvent] = [await categoryOf(index, 'polymer'), await categoryOf(index, 'solvent')];
  const settings = hasDesign ? await settingsOf(index) : [];
  const figures = [];
  for (const slots of groups) {
    const diameters = await distributionOf(columns.features.fiberDiameter, slots);
    const [q25, median, q75] = quantilesOf(diameters, [0.25, 0.5, 0.75]);
    figures.push({
      ...countStability(columns, slots),
      polymers: namesIn(polymer, slots),
      solvents: namesIn(solvent, slots),
      fiberDiameter: { count: diameters.count, q25, median, q75 },
      ...(hasDesign ? { design: settings.flatMap((setting) => described(setting, slots)) } : {}),
    });
    await yieldAfterSlice();
  }
  return figures;
}

/** Groups the rows with the given codes, in the order of the codes. */
async function groupsOf(rows: Int32Array, { column }: Category, codes: readonly number[]): Promise<Int32Array[]> {
  const group = new Int32Array(column.codeEnd).fill(codes.length);
  for (const [at, code] of codes.entries()) group[code] = at;
  const groups = await groupRows(rows, (slot) => group[column.codes[slot] ?? 0] ?? codes.length, codes.length + 1);
  return groups.slice(0, codes.length);
}

function namesIn(category: Category, rows: Int32Array): string[] {
  const { codes } = category.column;
  const distinct = new Set<number>();
  for (const slot of rows) for (const value of category.valuesOf[codes[slot] ?? 0] ?? []) distinct.add(value);
  return [...distinct].map((value) => category.values[value] ?? '').sort(byCodePoint);
}

interface Setting {
  key: string;
  valueAt: (slot: number) => string | number | undefined;
}

async function settingsOf(index: IndexAtState): Promise<Setting[]> {
  const settings: Setting[] = [];
  for (const key of designKeys) {
    if (isCategory(key)) {
      const category = await categoryOf(index, key);
      const { codes } = category.column;
      const texts = new Map<number, string>();
      const joined = (code: number): string => {
        const text = texts.get(code) ?? namesOf(category, code).join('–');
        texts.set(code, text);
        return text;
      };
      settings.push({ key, valueAt: (slot) => joined(codes[slot] ?? 0) || undefined });
    } else {
      const column = index.columns.features[key];
      settings.push({
        key,
        valueAt: (slot) => {
          const value = column.numberAt(slot);
          return Number.isNaN(value) ? undefined : value;
        },
      });
    }
  }
  return settings;
}

function isReported(key: KeyFacts['key']): boolean {
  return recordFeatures.some(({ feature }) => feature === key);
}

/** Describes a setting of rows; nothing if none of them reports it. */
function described({ key, valueAt }: Setting, rows: Int32Array) {
  let reported = 0;
  const distinct = new Set<string | number>();
  for (const slot of rows) {
    const value = valueAt(slot);
    if (value === undefined) continue;
    reported += 1;
    distinct.add(value);
  }
  if (reported === 0) return [];
  const values = [...distinct].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(String(a), String(b)),
  );
  return [{ key, reported, distinct: values.length, values: values.slice(0, MAX_VALUES) }];
}
