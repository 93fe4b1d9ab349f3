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
  readonly place: string;
  readonly score: Score;
  readonly expected: string;
  readonly reads: string;
  /** As written. */
  readonly text?: string;
  /** Whether a heading asks for its column without naming the right one. */
  readonly lacksCandidate?: boolean;
  /** The column of a cell. */
  readonly at?: string;
}

export const isHeading = ({ place }: Finding): boolean => place.startsWith('heading') || place === 'sheet';

/** A heading and what a person reads in it. */
interface Expected {
  readonly at: string;
  readonly means: string;
  /** Whether `LabTable.reads` has its cells. */
  readonly hasCells: boolean;
}

/** The sheet of a table, with its headings and the cells of its experiments by row as a person reads them. */
interface Case {
  readonly grid: SheetGrid;
  readonly file: SheetFile;
  readonly headings: readonly Expected[];
  readonly rows: ReadonlyMap<number, readonly string[]>;
  readonly isTransposed: boolean;
}

/** Scores the readings of a sheet. */
export async function scoreSheet(lab: LabSheet): Promise<Finding[]> {
  const opened = await openGrid(await fileOf(lab), references, NO_OPTIONS, undefined);
  if ('kind' in opened) throw new Error(opened.message);
  const { grid, file } = opened;
  return lab.tables.flatMap((table, tableIndex) => {
    const isTransposed = lab.isTransposed === true;
    const headings = table.means.split('|').map((text, index) => {
      const means = text.trim();
      const at = isTransposed ? String(index + 1) : columnLetters(index);
      return { at, means, hasCells: /^[a-z]/.test(means) };
    });
    const expectation = { grid, file, headings, rows: expectedRows(table, headings, isTransposed), isTransposed };
    return scoreTable(expectation, { ...NO_OPTIONS, table: tableIndex + 1 }, lab.tables.length);
  });
}

function expectedRows({ reads }: LabTable, headings: readonly Expected[], isTransposed: boolean): Case['rows'] {
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

/** Reads a sheet; returns a refusal as JSON. */
function read({ grid, file }: Pick<Case, 'grid' | 'file'>, options: SheetOptions): SheetReading | string {
  const reading = readSheet(grid, file, references, options);
  return 'kind' in reading ? JSON.stringify(reading) : reading;
}

function mustRead(sheet: Pick<Case, 'grid' | 'file'>, options: SheetOptions): SheetReading {
  const reading = read(sheet, options);
  if (typeof reading === 'string') throw new Error(reading);
  return reading;
}

function scoreTable(expectation: Case, plain: SheetOptions, tableCount: number): Finding[] {
  const { headings, rows } = expectation;
  const refusal = read(expectation, plain);
  const isRefused = typeof refusal === 'string';
  const options = isRefused ? { ...plain, headingRow: Math.min(...rows.keys()) - 1 } : plain;
  const reading = read(expectation, options);
  if (typeof reading === 'string' || reading.tables.length !== tableCount) {
    const reads = typeof reading === 'string' ? reading : `${reading.tables.length} tables`;
    return [{ place: 'sheet', score: 'wrong', expected: `${tableCount} tables`, reads }];
  }
  const columnAt = (at: string) => reading.columns.find((column) => column.at === at);
  const ofHeadings = headings
    .filter(({ at, means }) => means !== '.' || typeof columnAt(at)?.reads === 'string')
    .map((heading) => scoreHeading(heading, columnAt(heading.at)));
  const scoreOf = new Map(ofHeadings.map(({ at, score }) => [at, score]));
  const ofCells = scoreCells(answer(expectation, options, reading, scoreOf), expectation).map((finding) => {
    const ofHeading = scoreOf.get(finding.at);
    const isAsked = ofHeading === 'offered' && finding.score === 'read';
    return ofHeading === 'wrong' || ofHeading === 'noted' || isAsked ? { ...finding, score: ofHeading } : finding;
  });
  const unexpected = reading.columns
    .filter(({ at, reads }) => reads !== null && !headings.some((heading) => heading.at === at))
    .map((column) => scoreHeading({ at: column.at, means: '.', hasCells: false }, column));
  const refused: Finding[] = isRefused
    ? [{ place: 'sheet', score: 'offered', expected: 'headings', reads: refusal }]
    : [];
  return [...refused, ...ofHeadings, ...unexpected, ...ofCells];
}

function scoreHeading({ at, means, hasCells }: Expected, column: ReadColumn | undefined): Finding {
  const { state = 'not listed', reads, candidates = [], choices = [], reason, heading: text = '' } = column ?? {};
  const name = means.replace(/^~/, '');
  const scoreOf = (): Score => {
    if (state === 'ask') return means === '?' ? 'due' : 'offered';
    if (reads === name || (!reads && /^[-~.]/.test(means))) return 'read';
    return state === 'left-out' ? 'noted' : 'wrong';
  };
  const lacksCandidate = hasCells && state === 'ask' && reads !== name && !candidates.includes(name);
  const description = [state, reads, ...candidates, ...choices, reason].filter(Boolean).join(' ');
  return { place: `heading ${at}`, at, score: scoreOf(), text, expected: means, reads: description, lacksCandidate };
}

/** Reads a table with the answers of a person to the questions of its headings, and past the errors of its cells. */
function answer(
  expectation: Case,
  given: SheetOptions,
  reading: SheetReading,
  scoreOf: ReadonlyMap<string | undefined, Score>,
): SheetReading {
  const columns = expectation.headings.flatMap(({ at, means, hasCells }): [string, string | null][] => {
    const column = reading.columns.find((candidate) => candidate.at === at);
    const isRight = column === undefined || scoreOf.get(at) === 'read' || column.reads === means;
    return isRight || !scoreOf.has(at) ? [] : [[`@${at}`, hasCells ? means : null]];
  });
  let options: SheetOptions = { ...given, columns: new Map(columns) };
  let best = mustRead(expectation, options);
  for (const { at, choices } of best.columns.filter(({ state }) => state === 'ask')) {
    const rightOf = (candidate: SheetReading): number =>
      scoreCells(candidate, expectation).filter((cell) => cell.at === at && cell.score === 'read').length;
    const before = rightOf(best);
    const changes = choices.map((choice) => {
      const changed = { ...options, units: new Map([...(options.units ?? []), [`@${at}`, choice]]) };
      return { changed, candidate: mustRead(expectation, changed) };
    });
    const better = changes.find(({ candidate }) => rightOf(candidate) > before);
    if (better !== undefined) [options, best] = [better.changed, better.candidate];
  }
  return pastErrors(expectation, options, best);
}

const cellIn = (path: string): string => path.replace(/.*!/, '');

/**
 * Adds the items of the rows with errors, which a reading has only without errors. Names with an error are replaced, and
 * other cells with an error are removed. Without a polymer, a column with one is added.
 */
function pastErrors({ grid, file, isTransposed }: Case, options: SheetOptions, reading: SheetReading): SheetReading {
  const places = new Set(reading.rows.flatMap(({ errors }) => errors.map(({ path }) => cellIn(path))));
  if (places.size === 0) return reading;
  const nameFor = (line: number, column: number): string | undefined => {
    const at = isTransposed ? String(line) : columnLetters(column);
    const reads = reading.columns.find((candidate) => candidate.at === at)?.reads;
    return reads === 'polymer(s)' ? 'PVA' : reads === 'solvent(s)' ? 'DMF' : undefined;
  };
  const hasPolymer = reading.columns.some(({ state, reads }) => state === 'read' && reads === 'polymer(s)');
  const last = Math.max(...grid.rows.flatMap(({ cells }) => [...cells.keys()])) + 1;
  const rows = grid.rows.map((row) => {
    const cells = new Map(row.cells);
    for (const column of row.cells.keys()) {
      if (!places.has(columnLetters(column) + String(row.number))) continue;
      const name = nameFor(row.number, column);
      if (name === undefined) cells.delete(column);
      else cells.set(column, name);
    }
    if (!hasPolymer && row.number >= reading.headingRow)
      cells.set(last, row.number === reading.headingRow ? 'Polymer' : 'PVA');
    return { ...row, cells };
  });
  const itemOf = new Map(mustRead({ grid: { ...grid, rows }, file }, options).rows.map(({ row, item }) => [row, item]));
  return { ...reading, rows: reading.rows.map((row) => ({ ...row, item: row.item ?? itemOf.get(row.row) ?? null })) };
}

function scoreCells(reading: SheetReading, { grid, headings, rows, isTransposed }: Case): Finding[] {
  const filled = headings.filter(({ hasCells }) => hasCells);
  const hasPolymers = filled.some(({ means }) => means === 'polymer(s)');
  const placeOfRow = (row: number): string => `row ${isTransposed ? columnLetters(row - 1) : row}`;
  const textAt = (row: number, at: string): string => {
    const [line, column] = isTransposed ? [Number(at), row - 1] : [row, columnIndex(at)];
    return plainText(grid.rows.find(({ number }) => number === line)?.cells.get(column));
  };
  const experiments = [...rows].flatMap(([number, cells]) => {
    const row = reading.rows.find((candidate) => candidate.row === number);
    const values = readValues(row?.item ?? {});
    const findings = filled.flatMap(({ at, means }, index): Finding[] => {
      const expected = cells[index] ?? '';
      const address = isTransposed ? columnLetters(number - 1) + at : at + String(number);
      const text = textAt(number, at);
      if (text === '' && expected === '') return [];
      const otherColumns = filled.filter((heading) => heading.at !== at).map((heading) => heading.means);
      const scored = scoreCell(row, address, means, expected, values, otherColumns);
      const isAsked = reading.columns.some((column) => column.at === at && column.state === 'ask');
      const isNoted = reading.notes.some(
        ({ path, kind }) => cellIn(path) === address && (kind === 'name-detail' || kind === 'tolerance-dropped'),
      );
      const score = scored.score === 'wrong' ? (isAsked ? 'offered' : isNoted ? 'noted' : 'wrong') : scored.score;
      return [{ at, place: address, text, expected, ...scored, score }];
    });
    const columns = [...filled.map(({ means }) => means), ...reading.columns.flatMap(({ reads }) => reads ?? [])];
    const unexpectedValues = [...values].filter(([name]) => !columns.some((column) => name.startsWith(column)));
    const place = placeOfRow(number);
    if (unexpectedValues.length > 0 && hasPolymers) {
      const reads = valuesText(new Map(unexpectedValues));
      findings.push({ place, score: 'wrong', expected: 'no other values', reads });
    }
    if (!hasPolymers && row?.state === 'error')
      findings.push({ place, score: 'due', expected: 'a polymer', reads: row.errors[0]?.message ?? '' });
    return findings;
  });
  const unexpected = reading.rows
    .filter(({ row, state }) => state !== 'left-out' && !rows.has(row))
    .map(({ row, state, errors: [error] }): Finding => {
      const score = state === 'error' ? 'offered' : 'wrong';
      return { place: placeOfRow(row), score, expected: 'no experiment', reads: error?.message ?? 'an experiment' };
    });
  return [...experiments, ...unexpected];
}

function scoreCell(
  row: ReadRow | undefined,
  address: string,
  column: string,
  expected: string,
  values: Values,
  otherColumns: readonly string[],
): Pick<Finding, 'score' | 'reads'> {
  if (row === undefined) return { score: 'wrong', reads: 'no row' };
  if (row.state === 'left-out') return { score: 'noted', reads: `row left out: ${row.reason}` };
  const alternatives = expected.split(/ or(?: |$)/);
  const error = row.errors.find(({ path }) => cellIn(path) === address);
  if (error !== undefined) return { score: alternatives.includes('?') ? 'due' : 'offered', reads: error.message };
  if (row.item === null) return { score: 'offered', reads: row.errors[0]?.message ?? 'no item' };
  const own = [...values].filter(
    ([name]) => name.startsWith(column) && !otherColumns.includes(name.replace(/ .*/, '')),
  );
  const isRead = alternatives.some((alternative) => {
    const stated = alternative === '?' ? undefined : statedValues(column, alternative);
    return own.length === stated?.size && own.every(([name, value]) => isEqual(stated.get(name), value));
  });
  return { score: isRead ? 'read' : 'wrong', reads: valuesText(new Map(own)) || 'no value' };
}

/** Returns the share of headings and cells that are read without a question, among those that have one reading. */
export function readShare(findings: readonly Finding[]): number {
  const clear = findings.filter(({ score }) => score !== 'due');
  return clear.filter(({ score }) => score === 'read').length / clear.length;
}
