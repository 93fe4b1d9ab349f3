import type { CategoryKey, Feature } from '@esd/record/filter/filter-keys';
import { byCodePoint } from '@esd/record/filter/text-order';
import { ServiceError } from '@esd/service/errors';
import type { PapersQuestion } from '@esd/proto/esd/dataset/v1/dataset';
import { STABILITY } from '../read-index/columns.ts';
import { countCodes, distributionOf } from '../read-index/distribution.ts';
import type { Reading } from '../read-index/matching-rows.ts';
import { inSteps, takeTurns } from '../read-index/take-turns.ts';
import type { PaperReads } from './paper-reads.ts';
import { type Category, categoryOf, countValues, namesOf } from './categories.ts';
import { firstOf } from './first-of.ts';
import { quantilesOf } from './quantiles.ts';

/** The settings that a design describes: those that records report. */
const DESIGN = [
  'polymer',
  'solvent',
  'concentration',
  'needleType',
  'needleDiameter',
  'collectorType',
  'voltage',
  'flowRate',
  'tipDist',
  'temp',
  'humidity',
] as const satisfies readonly (Feature | CategoryKey)[];
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
export async function papers(reading: Reading, rows: Int32Array, question: PapersQuestion, reads: PaperReads) {
  const { sort, descending, skip, limit, design, citations } = question;
  const doi = await categoryOf(reading, 'doi');
  const counts = countValues(doi, await countCodes(doi.column, rows));
  await takeTurns();
  const occurring: Counted[] = [];
  let withPaper = 0;
  for (let value = 0, end = counts.length; value < end; value += 1) {
    const records = counts[value] ?? 0;
    if (records === 0) continue;
    const name = doi.values[value] ?? '';
    const { year } = reading.papers.valuesAt(name, reading.state.revision) ?? {};
    occurring.push({ value, doi: name, records, year });
    withPaper += records;
  }
  await takeTurns();
  const order = citations ? compare('doi', false) : compare(requireSort(sort), descending);
  const page = (await firstOf(occurring, skip + limit, order)).slice(skip);
  const codes = codesOf(doi, page);
  const known = await reads.find(
    reading.state,
    page.map((paper, at) => ({ code: codes[at] ?? 0, doi: paper.doi })),
  );
  const sizes = page.map(({ records }) => records);
  const figures = citations
    ? []
    : await figuresOf(reading, await groupRows(rows, doi.column.codes, codes, sizes), design);
  return {
    data: page.map((paper, at) => {
      const { id: _, updatedAt: __, source, ...facts } = known[at] ?? { source: null };
      return { ...facts, doi: paper.doi, source, ...(citations ? {} : { records: paper.records, ...figures[at] }) };
    }),
    total: occurring.length,
    withoutPaper: rows.length - withPaper,
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
    const [one, other] = [a[sort], b[sort]];
    if (one === other) return byCodePoint(a.doi, b.doi);
    if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
    return sign * (one - other);
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
async function figuresOf(reading: Reading, groups: readonly Int32Array[], hasDesign: boolean) {
  const { columns } = reading;
  const [polymer, solvent] = [await categoryOf(reading, 'polymer'), await categoryOf(reading, 'solvent')];
  const settings = hasDesign ? await settingsOf(reading) : [];
  const figures = [];
  for (const own of groups) {
    const stability = [0, 0, 0];
    for (const slot of own) {
      const code = columns.stability.codes[slot] ?? 0;
      stability[code] = (stability[code] ?? 0) + 1;
    }
    const diameters = await distributionOf(columns.features.fiberDiameter, own);
    const [q25, median, q75] = quantilesOf(diameters, [0.25, 0.5, 0.75]);
    figures.push({
      stable: stability[STABILITY.yes] ?? 0,
      unstable: stability[STABILITY.no] ?? 0,
      polymers: namesIn(polymer, own),
      solvents: namesIn(solvent, own),
      fiberDiameter: { count: diameters.count, q25, median, q75 },
      ...(hasDesign ? { design: settings.flatMap((setting) => described(setting, own)) } : {}),
    });
    await takeTurns();
  }
  return figures;
}

/** Groups the rows with the given codes, in the order of the codes; `sizes` are the numbers of their rows. */
async function groupRows(
  rows: Int32Array,
  column: Int32Array,
  codes: readonly number[],
  sizes: readonly number[],
): Promise<Int32Array[]> {
  const position = new Int32Array(Math.max(0, ...codes) + 1).fill(-1);
  for (const [at, code] of codes.entries()) position[code] = at;
  const groups = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(sizes.length);
  await inSteps(rows, (part) => {
    for (let at = 0, end = part.length; at < end; at += 1) {
      const slot = part[at] ?? 0;
      const group = position[column[slot] ?? 0] ?? -1;
      const own = groups[group];
      if (!own) continue;
      const next = filled[group] ?? 0;
      own[next] = slot;
      filled[group] = next + 1;
    }
  });
  return groups;
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

async function settingsOf(reading: Reading): Promise<Setting[]> {
  const settings: Setting[] = [];
  for (const key of DESIGN) {
    if (isCategory(key)) {
      const category = await categoryOf(reading, key);
      const { codes } = category.column;
      const known = new Map<number, string>();
      const joined = (code: number): string => {
        const text = known.get(code) ?? namesOf(category, code).join('–');
        known.set(code, text);
        return text;
      };
      settings.push({ key, valueAt: (slot) => joined(codes[slot] ?? 0) || undefined });
    } else {
      const column = reading.columns.features[key];
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

function isCategory(key: (typeof DESIGN)[number]): key is 'polymer' | 'solvent' | 'needleType' | 'collectorType' {
  return key === 'polymer' || key === 'solvent' || key === 'needleType' || key === 'collectorType';
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
