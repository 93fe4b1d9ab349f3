import { catalogColumns } from '@esd/record/flatten/flatten';
import { columnLetters } from '@esd/record/sheet/column-letters';
import { readSheet } from '@esd/record/sheet/read-sheet';
import { columnIndex, type SheetGrid } from '@esd/record/sheet/sheet-grid';
import { NO_OPTIONS, type SheetOptions } from '@esd/record/sheet/sheet-options';
import type { ReadColumn, ReadRow, SheetFile, SheetReading } from '@esd/record/sheet/sheet-reading';
import { plainText } from '@esd/record/sheet/sheet-rows';
import { references } from '../../../../../libs/record/test/seed-lists.ts';
import { openGrid } from '../../../src/workbook-import/guess-sheet.ts';
import { fileOf, linesOf } from './build-sheet.ts';
import { isEqual, readValues, statedValues, type Values, valuesText } from './compare-values.ts';
import type { LabSheet, LabTable } from './lab-sheets.ts';

/**
 * `read`: as a person reads it. `offered`: a question, or an error that names the cell. `due`: a question that a person
 * has, too. `noted`: left out with a reason, or in part with a note. `wrong`: read as something else, or dropped.
 */
export type Score = 'read' | 'offered' | 'due' | 'noted' | 'wrong';

/** The score of a heading, such as `heading C`, of a cell, such as `C7`, or of a row that is no experiment. */
export interface Finding {
  readonly sheet: string;
  readonly place: string;
  readonly isHeading: boolean;
  readonly score: Score;
  /** As written. */
  readonly text: string;
  readonly expected: string;
  readonly reads: string;
  /** Whether a heading asks for its column without naming the right one. */
  readonly lacksCandidate?: boolean;
}

type FindingOf = Omit<Finding, 'sheet'>;

/** A heading and what a person reads in it. */
interface Expected {
  readonly at: string;
  readonly means: string;
  /** Whether `LabTable.reads` has its cells. */
  readonly hasCells: boolean;
}

const expectedHeadings = ({ means }: LabTable, isTransposed: boolean): Expected[] =>
  means.split('|').map((text, index) => {
    const at = isTransposed ? String(index + 1) : columnLetters(index);
    return { at, means: text.trim(), hasCells: /^[a-z]/.test(text.trim()) };
  });

/** Scores the readings of a sheet. */
export async function scoreSheet(lab: LabSheet): Promise<Finding[]> {
  const opened = await openGrid(await fileOf(lab), references, NO_OPTIONS, undefined);
  if ('kind' in opened) throw new Error(opened.message);
  const { grid, file } = opened;
  const findings = lab.tables.flatMap((table, at) => scoreTable(lab, table, grid, file, at + 1));
  return findings.map((finding) => ({ sheet: lab.name, ...finding }));
}

function scoreTable(lab: LabSheet, table: LabTable, grid: SheetGrid, file: SheetFile, number: number): FindingOf[] {
  const isTransposed = lab.isTransposed === true;
  const plain: SheetOptions = { ...NO_OPTIONS, table: number };
  const headings = expectedHeadings(table, isTransposed);
  const rows = expectedRows(table, headings, isTransposed);
  let options = plain;
  let reading = read(grid, file, options);
  const findings: FindingOf[] = [];
  if (typeof reading === 'string') {
    findings.push({
      place: 'sheet',
      isHeading: true,
      score: 'offered',
      text: '',
      expected: 'headings',
      reads: reading,
    });
    options = { ...plain, headingRow: Math.min(...rows.keys()) - 1 };
    reading = read(grid, file, options);
  }
  if (typeof reading === 'string' || reading.tables.length !== lab.tables.length) {
    const reads = typeof reading === 'string' ? reading : `${reading.tables.length} tables`;
    const expected = `${lab.tables.length} tables`;
    return [{ place: 'sheet', isHeading: true, score: 'wrong', text: '', expected, reads }];
  }
  const { columns } = reading;
  const scored = headings.flatMap((heading) => {
    const column = columns.find(({ at }) => at === heading.at);
    const isBlank = heading.means === '.' && typeof column?.reads !== 'string';
    return isBlank ? [] : [{ heading, column, finding: scoreHeading(heading, column) }];
  });
  const expectation: Expectation = { headings, rows, isTransposed };
  const answered = answer(grid, file, options, expectation, reading, scored);
  const cells = scoreCells(grid, answered, expectation).map(({ at, finding }): FindingOf => {
    const score = scored.find(({ heading }) => heading.at === at)?.finding.score;
    if (score === 'wrong' || score === 'noted') return { ...finding, score };
    return score === 'offered' && finding.score === 'read' ? { ...finding, score } : finding;
  });
  const others = columns
    .filter(({ at, reads }) => reads !== null && !headings.some((heading) => heading.at === at))
    .map((column) => scoreHeading({ at: column.at, means: '.', hasCells: false }, column));
  return [...findings, ...scored.map(({ finding }) => finding), ...others, ...cells];
}

/** The reading of a table by a person: its headings, and the cells of its experiments by row. */
interface Expectation {
  readonly headings: readonly Expected[];
  readonly rows: ReadonlyMap<number, readonly string[]>;
  readonly isTransposed: boolean;
}

function expectedRows(
  { reads }: LabTable,
  headings: readonly Expected[],
  isTransposed: boolean,
): ReadonlyMap<number, readonly string[]> {
  const count = headings.filter(({ hasCells }) => hasCells).length;
  return new Map(
    linesOf(reads).map(([first = '', ...others]) => {
      const [, row = '', cell = ''] = /^(\w+): *(.*)$/.exec(first) ?? [];
      const cells = [cell, ...others];
      if (cells.length !== count) throw new Error(`${cells.length} cells instead of ${count}: ${first}`);
      return [isTransposed ? columnIndex(row) + 1 : Number(row), cells];
    }),
  );
}

/** Returns the reading, or the refusal as JSON. */
function read(grid: SheetGrid, file: SheetFile, options: SheetOptions): SheetReading | string {
  const reading = readSheet(grid, file, references, options);
  return 'kind' in reading ? JSON.stringify(reading) : reading;
}

function scoreHeading({ at, means, hasCells }: Expected, column: ReadColumn | undefined): FindingOf {
  const { state = 'not listed', reads, candidates = [], choices = [], reason, heading: text = '' } = column ?? {};
  const name = means.replace(/^~/, '');
  const scoreOf = (): Score => {
    if (state === 'ask') return means === '?' ? 'due' : 'offered';
    if (reads === name || (!reads && /^[-~.]/.test(means))) return 'read';
    return state === 'left-out' ? 'noted' : 'wrong';
  };
  const lacksCandidate = hasCells && state === 'ask' && reads !== name && !candidates.includes(name);
  const read = [state, reads, ...candidates, ...choices, reason].filter(Boolean).join(' ');
  return {
    place: `heading ${at}`,
    isHeading: true,
    score: scoreOf(),
    text,
    expected: means,
    reads: read,
    lacksCandidate,
  };
}

interface Scored {
  readonly heading: Expected;
  readonly column: ReadColumn | undefined;
  readonly finding: FindingOf;
}

/** Reads a table with the answers of a person to the questions of its headings, and past the errors of its cells. */
function answer(
  grid: SheetGrid,
  file: SheetFile,
  given: SheetOptions,
  expectation: Expectation,
  reading: SheetReading,
  scored: readonly Scored[],
): SheetReading {
  const columns = new Map(
    scored.flatMap(({ heading, column, finding }): [string, string | null][] => {
      if (column === undefined || finding.score === 'read' || column.reads === heading.means) return [];
      return [[`@${heading.at}`, heading.hasCells ? heading.means : null]];
    }),
  );
  let options: SheetOptions = { ...given, columns };
  let best = mustRead(grid, file, options);
  for (const { at, choices } of best.columns.filter(({ state }) => state === 'ask')) {
    const rightOf = (candidate: SheetReading): number =>
      scoreCells(grid, candidate, expectation).filter((cell) => cell.at === at && cell.finding.score === 'read').length;
    for (const choice of choices) {
      const changed = { ...options, units: new Map([...(options.units ?? []), [`@${at}`, choice]]) };
      const candidate = mustRead(grid, file, changed);
      if (rightOf(candidate) <= rightOf(best)) continue;
      best = candidate;
      options = changed;
      break;
    }
  }
  return pastErrors(grid, file, options, best);
}

function mustRead(grid: SheetGrid, file: SheetFile, options: SheetOptions): SheetReading {
  const reading = read(grid, file, options);
  if (typeof reading === 'string') throw new Error(reading);
  return reading;
}

/**
 * Adds the items of the rows with errors, which a reading has only without errors. Names with an error are replaced, and
 * other cells with an error are removed. Without a polymer, a column with one is added.
 */
function pastErrors(grid: SheetGrid, file: SheetFile, options: SheetOptions, reading: SheetReading): SheetReading {
  const places = new Set(reading.rows.flatMap(({ errors }) => errors.map(({ path }) => path.replace(/.*!/, ''))));
  if (places.size === 0) return reading;
  const isTransposed = reading.orientation === 'columns';
  const nameFor = (line: number, column: number): string | undefined => {
    const at = isTransposed ? String(line) : columnLetters(column);
    const reads = reading.columns.find((candidate) => candidate.at === at)?.reads;
    return reads === 'polymer(s)' ? 'PVA' : reads === 'solvent(s)' ? 'DMF' : undefined;
  };
  const hasPolymer = reading.columns.some(({ state, reads }) => state === 'read' && reads === 'polymer(s)');
  const last = Math.max(...grid.rows.flatMap(({ cells }) => [...cells.keys()])) + 1;
  const rows = grid.rows.map((row) => {
    const cells = new Map(
      [...row.cells].flatMap(([column, cell]) => {
        if (!places.has(columnLetters(column) + String(row.number))) return [[column, cell] as const];
        const name = nameFor(row.number, column);
        return name === undefined ? [] : [[column, name] as const];
      }),
    );
    if (!hasPolymer && row.number === reading.headingRow) cells.set(last, 'Polymer');
    if (!hasPolymer && row.number > reading.headingRow) cells.set(last, 'PVA');
    return { ...row, cells };
  });
  const past = mustRead({ ...grid, rows }, file, options);
  const itemOf = new Map(past.rows.map(({ row, item }) => [row, item]));
  return { ...reading, rows: reading.rows.map((row) => ({ ...row, item: row.item ?? itemOf.get(row.row) ?? null })) };
}

interface ScoredCell {
  readonly at: string;
  readonly finding: FindingOf;
}

function scoreCells(grid: SheetGrid, reading: SheetReading, expectation: Expectation): ScoredCell[] {
  const { headings, isTransposed } = expectation;
  const filled = headings.filter(({ hasCells }) => hasCells);
  const hasPolymers = filled.some(({ means }) => means === 'polymer(s)');
  const textAt = (row: number, at: string): string => {
    const [line, column] = isTransposed ? [Number(at), row - 1] : [row, columnIndex(at)];
    return plainText(grid.rows.find(({ number }) => number === line)?.cells.get(column));
  };
  const rowOf = new Map(reading.rows.map((row) => [row.row, row]));
  const experiments = [...expectation.rows].flatMap(([number, cells]) => {
    const row = rowOf.get(number);
    const values = readValues(references, row?.item ?? {}, catalogColumns);
    const scored = filled.flatMap(({ at, means }, index): ScoredCell[] => {
      const expected = cells[index] ?? '';
      const address = isTransposed ? columnLetters(number - 1) + at : at + String(number);
      const text = textAt(number, at);
      if (text === '' && expected === '') return [];
      const others = filled.filter((heading) => heading.at !== at).map((heading) => heading.means);
      const isAsked = reading.columns.some((column) => column.at === at && column.state === 'ask');
      const isNoted = reading.notes.some(
        ({ path, kind }) => path.replace(/.*!/, '') === address && /^(name-detail|tolerance-dropped)$/.test(kind),
      );
      const found = scoreCell(row, address, means, expected, values, others);
      const score = found.score !== 'wrong' ? found.score : isAsked ? 'offered' : isNoted ? 'noted' : 'wrong';
      return [{ at, finding: { place: address, text, isHeading: false, ...found, score } }];
    });
    const ofRow = (score: Score, wanted: string, reads: string): ScoredCell => {
      const place = `row ${isTransposed ? columnLetters(number - 1) : number}`;
      return { at: '', finding: { place, text: '', isHeading: false, score, expected: wanted, reads } };
    };
    const columns = [...filled.map(({ means }) => means), ...reading.columns.map(({ reads }) => reads ?? '')];
    const others = [...values].filter(([name]) => !columns.some((column) => column !== '' && name.startsWith(column)));
    if (others.length > 0 && hasPolymers) scored.push(ofRow('wrong', 'no other values', valuesText(new Map(others))));
    if (!hasPolymers && row?.state === 'error') scored.push(ofRow('due', 'a polymer', row.errors[0]?.message ?? ''));
    return scored;
  });
  const extra = reading.rows
    .filter(({ row, state }) => state !== 'left-out' && !expectation.rows.has(row))
    .map(({ row, state, errors }): ScoredCell => {
      const place = `row ${isTransposed ? columnLetters(row - 1) : row}`;
      const score = state === 'error' ? 'offered' : 'wrong';
      const reads = errors[0]?.message ?? 'an experiment';
      return { at: '', finding: { place, text: '', isHeading: false, score, expected: 'no experiment', reads } };
    });
  return [...experiments, ...extra];
}

function scoreCell(
  row: ReadRow | undefined,
  address: string,
  column: string,
  expected: string,
  values: Values,
  others: readonly string[],
): { score: Score; expected: string; reads: string } {
  const alternatives = expected.split(/ or(?: |$)/);
  if (row === undefined) return { score: 'wrong', expected, reads: 'no row' };
  if (row.state === 'left-out') return { score: 'noted', expected, reads: `row left out: ${row.reason}` };
  const error = row.errors.find(({ path }) => path.replace(/.*!/, '') === address);
  if (error !== undefined) {
    return { score: alternatives.includes('?') ? 'due' : 'offered', expected, reads: error.message };
  }
  if (row.item === null) return { score: 'offered', expected, reads: row.errors[0]?.message ?? 'no item' };
  const own = [...values].filter(([name]) => name.startsWith(column) && !others.includes(name.replace(/ .*/, '')));
  const isRead = alternatives.some((alternative) => {
    if (alternative === '?') return false;
    const stated = statedValues(column, alternative);
    return own.length === stated.size && own.every(([name, value]) => isEqual(references, stated.get(name), value));
  });
  return { score: isRead ? 'read' : 'wrong', expected, reads: valuesText(new Map(own)) || 'no value' };
}

/** Returns the share of headings and cells that are read without a question, among those that have one reading. */
export function readShare(findings: readonly Finding[]): number {
  const clear = findings.filter(({ score }) => score !== 'due');
  return clear.filter(({ score }) => score === 'read').length / clear.length;
}
