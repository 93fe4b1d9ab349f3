import { fieldName } from '../catalog/field-names.ts';
import {
  type ColumnWords,
  headingParts,
  headingQualifiers,
  headingWords,
  ignoredHeadings,
} from '../catalog/heading-words.ts';
import { memberOfColumn, summaries } from '../flatten/flatten.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import { fold } from '../reference/fold.ts';
import { findEntry, type References, type UnitEntry } from '../reference/reference.ts';
import { editDistance } from '../validate/nearest-names.ts';
import { columnDimensions, guessedColumns, unitsOfColumn } from './column-dimensions.ts';
import { SUPERSCRIPTS, withoutMarks } from './formatted-text.ts';
import type { ReadColumn } from './sheet-reading.ts';

/** A longer heading resolves to nothing. */
const MAX_HEADING_LENGTH = 200;
const MAX_UNIT_WORDS = 4;
const MAX_SLASHES = 4;

export type HeadingReading = Pick<ReadColumn, 'state' | 'reads' | 'candidates' | 'reason' | 'choices'> & {
  readonly unit: UnitEntry | undefined;
  /** The texts that say something about the values and are no unit. */
  readonly dropped: readonly string[];
  /** Whether the heading, without its unit, is a word of the catalog or an ignorable heading. */
  readonly isKnown: boolean;
  /** Whether the words of the heading have another meaning with another unit. */
  readonly hasMeanings: boolean;
  /** The heading without the footnote marks that were dropped. */
  readonly unmarked?: string;
};

const AMERICAN: readonly (readonly [british: RegExp, american: string])[] = [
  [/fibre/g, 'fiber'],
  [/behaviour/g, 'behavior'],
  [/colour/g, 'color'],
];
const SUPERSCRIPTS_AT_END = new RegExp(`[${SUPERSCRIPTS}]+$`);

/** Returns the form in which headings are compared. Expects the heading without its unit. */
export function headingKey(text: string): string {
  let key = fold(text.trim().replace(SUPERSCRIPTS_AT_END, ''));
  for (const [british, american] of AMERICAN) key = key.replace(british, american);
  return key.replace(/[\s_\-.,:*?]+/g, ' ').trim();
}

const symbolKey = (text: string): string => text.trim().replace(SUPERSCRIPTS_AT_END, '').trim();

type Words = Pick<ColumnWords, 'column' | 'units'>;

function indexWords(pairs: readonly (readonly [key: string, words: Words])[]): ReadonlyMap<string, readonly Words[]> {
  const index = new Map<string, Words[]>();
  for (const [key, words] of pairs) {
    const known = index.get(key) ?? [];
    if (known.some(({ column, units }) => column === words.column && units === words.units)) continue;
    index.set(key, [...known, words]);
  }
  return index;
}

const synonymPairs = headingWords.flatMap((words) =>
  (words.synonyms ?? []).map((synonym) => [headingKey(synonym), words] as const),
);
const synonymKeys = new Set(synonymPairs.map(([key]) => key));
const names = guessedColumns.flatMap((column): (readonly [string, Words])[] => {
  const place = memberOfColumn(column);
  const label =
    place === undefined || place.kind === 'unit' || place.kind === 'list' ? [] : [headingKey(fieldName(place.member))];
  return [headingKey(column), ...label].map((key) => [key, { column }] as const);
});
/** The column names, labels and synonyms. A word of the table has precedence over an equal label. */
const byWord = indexWords([...synonymPairs, ...names.filter(([key]) => !synonymKeys.has(key))]);
const bySymbol = indexWords(
  headingWords.flatMap((words) => (words.symbols ?? []).map((symbol) => [symbol, words] as const)),
);
const ignored = new Set(ignoredHeadings);
const qualifiers: ReadonlySet<string> = new Set(headingQualifiers);

/** The name of a factor or a response in a design of experiments: `X1: Voltage`. */
const FACTOR = /^[XY]\d{0,2} ?[:=] ?(?=\S)/;
const NUMBERED = /^(?<name>.*\S) ?(?:\d|(?<=[^a-z])[a-d]|(?<=[^a-z])i{1,3})$/;

/** Returns the column of "Polymer 1" or "Solvent B": components in that order. */
export function numberedColumn(key: string): string | undefined {
  const name = NUMBERED.exec(key)?.groups?.['name']?.trim() ?? '';
  return byWord.get(name)?.find(({ column }) => column === 'polymer(s)' || column === 'solvent(s)')?.column;
}

const ALL_SUPERSCRIPTS = new RegExp(`[${SUPERSCRIPTS}]`, 'g');
const WORD = /\p{Script=Han}+|[^\P{L}\p{Script=Han}]+|\p{S}/gu;
const wordsOf = (text: string): string[] => headingKey(text.replace(ALL_SUPERSCRIPTS, ' ')).match(WORD) ?? [];
/** The longest word of each column name, label, synonym, and symbol. */
const vocabulary = new Set(
  [...byWord.keys(), ...bySymbol.keys()].map((key) => wordsOf(key).toSorted((a, b) => b.length - a.length)[0]),
);

/** Returns whether a text can be a heading of the catalog. Reading a heading is slow, and most cells are data. */
export function hasHeadingWord(text: string): boolean {
  const words = wordsOf(text);
  return words.length === 0 || words.some((word) => vocabulary.has(word));
}

/** Returns the unit that a text stands for, in brackets or not. */
export function unitOf(references: References, text: string): UnitEntry | undefined {
  const plain = text
    .trim()
    .replace(/^[[(](.*)[\])]$/s, '$1')
    .replace(/^in /i, '')
    .trim();
  if (plain === '' || plain.length > MAX_HEADING_LENGTH) return undefined;
  return findEntry(references, 'units', plain);
}

interface Split {
  readonly name: string;
  readonly unit?: UnitEntry | undefined;
  /** The texts in other brackets. */
  readonly others: readonly string[];
  /** A text in the place of a unit that is no unit of the list. */
  readonly tail?: string;
}

/** Brackets with at most one level of brackets inside. */
const BRACKETS = /\[[^[\]]*\]|\((?:[^()]|\([^()]*\))*\)/g;

/** Returns full-width characters and brackets as ASCII. */
function halfWidth(text: string): string {
  return text
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[【〔]/g, '[')
    .replace(/[】〕]/g, ']');
}

/** Returns the texts before and behind the places where a unit can begin: slashes, the last comma, the last "in". */
function tailsOf(text: string): (readonly [before: string, after: string])[] {
  const tails: (readonly [string, string])[] = [];
  const add = (at: number, length: number): void => {
    if (at > 0) tails.push([text.slice(0, at).trim(), text.slice(at + length).trim()]);
  };
  for (let at = text.indexOf('/'), tries = 0; at >= 0 && tries < MAX_SLASHES; at = text.indexOf('/', at + 1), tries++)
    add(at, 1);
  add(text.lastIndexOf(','), 1);
  add(text.toLowerCase().lastIndexOf(' in '), 4);
  return tails;
}

/** Finds the unit in a bracket, which can have other texts: `(mean, nm)`. */
function unitInBracket(text: string, references: References): { unit: UnitEntry; others: string[] } | undefined {
  const whole = unitOf(references, text);
  if (whole !== undefined) return { unit: whole, others: [] };
  const parts = text.split(/[,;]/).map((part) => part.trim());
  for (const part of parts.length > 1 ? parts : []) {
    const unit = unitOf(references, part);
    if (unit !== undefined) return { unit, others: parts.filter((other) => other !== part) };
  }
  return undefined;
}

/** Returns the ways to separate a heading from its unit, the most likely first. */
function splitsOf(heading: string, references: References): Split[] {
  const splits: Split[] = [];
  // In `% (w/w)`, the bracket is a part of the unit.
  const percent = /%\s*\([^()]*\)\s*$/.exec(heading);
  const share = percent === null ? undefined : unitOf(references, percent[0]);
  if (percent !== null && share !== undefined)
    return [{ name: heading.slice(0, percent.index) || heading, unit: share, others: [] }];
  // "Thermal conductivity, W/(m·K)": the unit itself has a bracket.
  for (const [before, after] of heading.includes('(') ? tailsOf(heading) : []) {
    const unit = after.includes('(') ? unitOf(references, after) : undefined;
    if (unit !== undefined) splits.push({ name: before, unit, others: [] });
  }
  let isPlural = false;
  const brackets: string[] = [];
  const rest = heading.replace(BRACKETS, (bracket, at: number) => {
    // In "Polymer(s)", the bracket is an ending, although s is a unit.
    if (bracket === '(s)' && at > 0 && heading[at - 1] !== ' ') isPlural = true;
    const text = bracket.slice(1, -1).trim();
    if (text !== '') brackets.push(text);
    return ' ';
  });
  const name = rest.replace(/[\s:]+/g, ' ').trim();
  const found = brackets.map((bracket) => unitInBracket(bracket, references));
  for (const [at, inBracket] of found.entries()) {
    if (inBracket === undefined) continue;
    const others = [...inBracket.others, ...brackets.toSpliced(at, 1)];
    splits.push({ name, ...inBracket, others });
    // `Fiber diameter, mean (µm)`
    const comma = name.lastIndexOf(',');
    const behind = name.slice(comma + 1).trim();
    if (comma > 0 && isLeading(behind))
      splits.push({ name: name.slice(0, comma), unit: inBracket.unit, others: [...others, behind] });
  }
  if (splits.length > 0) return isPlural ? [...splits, { name, others: [] }] : splits;
  const others = brackets;
  splits.push({ name, others });
  const add = (before: string, after: string): void => {
    const unit = before.trim() === '' ? undefined : unitOf(references, after);
    if (unit !== undefined) splits.push({ name: before.trim().replace(/[,/;=]$/, ''), unit, others });
  };
  const words = name.split(' ');
  for (let count = 1; count <= MAX_UNIT_WORDS && count < words.length; count++) {
    add(words.slice(0, -count).join(' '), words.slice(-count).join(' '));
  }
  const tails = tailsOf(name);
  for (const [before, after] of tails) add(before, after);
  if (name.endsWith('%')) add(name.slice(0, -1), '%');
  // "电压kV"
  const [, han = '', behind = ''] = /^(.*\p{Script=Han})([^\p{Script=Han}]+)$/u.exec(name) ?? [];
  if (han !== '') add(han, behind);
  for (const [before, tail] of tails.reverse())
    if (before !== '' && tail !== '') splits.push({ name: before, others, tail });
  return splits;
}

/** Returns whether a unit fits what words stand for. */
function fits({ column, units }: Words, unit: UnitEntry): boolean {
  return units === undefined ? columnDimensions(column)?.includes(unit.dimension) === true : units.includes(unit.unit);
}

const columnsOf = (words: readonly Words[]): string[] => [...new Set(words.map(({ column }) => column))];

const NO_MEANING: HeadingReading = {
  state: 'ask',
  reads: null,
  candidates: [],
  choices: [],
  reason: null,
  unit: undefined,
  dropped: [],
  isKnown: true,
  hasMeanings: false,
};
const ask = (candidates: readonly string[]): HeadingReading => ({ ...NO_MEANING, candidates });
const read = (column: string): HeadingReading => ({ ...NO_MEANING, state: 'read', reads: column });
const leftOut = (reason: string): HeadingReading => ({ ...NO_MEANING, state: 'left-out', reason });

function fittingColumns(words: readonly Words[], unit: UnitEntry | undefined): string[] {
  return columnsOf(words.filter((one) => (unit === undefined ? one.units === undefined : fits(one, unit))));
}

function chooseWords(words: readonly Words[], unit: UnitEntry | undefined): HeadingReading {
  const fitting = fittingColumns(words, unit);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return { ...read(only), hasMeanings: columnsOf(words).length > 1 };
  return ask(fitting.length > 1 ? fitting : columnsOf(words));
}

function lookUp(name: string, unit: UnitEntry | undefined): HeadingReading | undefined {
  const key = headingKey(name);
  const words = byWord.get(key);
  if (words !== undefined) return chooseWords(words, unit);
  const numbered = numberedColumn(key);
  if (numbered !== undefined) return chooseWords([{ column: numbered }], unit);
  const symbol = symbolKey(name);
  const symbols = bySymbol.get(symbol);
  if (symbols !== undefined) return unit === undefined ? ask(columnsOf(symbols)) : chooseWords(symbols, unit);
  // "Voltage U": the symbol repeats the word.
  const space = symbol.lastIndexOf(' ');
  const repeated = space < 0 ? undefined : bySymbol.get(symbol.slice(space + 1));
  const first = repeated === undefined ? undefined : byWord.get(headingKey(symbol.slice(0, space)));
  const both = first?.filter(({ column }) => repeated?.some((one) => one.column === column));
  return both === undefined || both.length === 0 ? undefined : chooseWords(both, unit);
}

/** Returns the columns whose words differ from a heading by few letters. */
function similarColumns(name: string, unit: UnitEntry | undefined): string[] {
  const key = headingKey(name);
  const limit = key.length >= 8 ? 2 : key.length >= 5 ? 1 : 0;
  if (limit === 0) return [];
  const near = [...byWord].filter(([word]) => editDistance(key, word, limit) !== undefined);
  const words = near.flatMap(([, found]) => found);
  const fitting = fittingColumns(words, unit);
  return fitting.length > 0 ? fitting : columnsOf(words);
}

const COUNT = /\bn(?: ?[=≥>] ?n\b| ?[=≥>]? ?\d+\b)/g;

/** Returns whether a text of a heading says something about the values of a column, and is no unit. */
function isQualifier(text: string, column: string, references: References): boolean {
  const key = headingKey(text).replace(COUNT, '');
  // A number tells equal headings apart.
  const words = key.split(/[\s,;/&+±]+/).filter((word) => !/^\d*$/.test(word));
  return (
    words.every((word) => qualifiers.has(word) || headingParts[singular(word)] !== undefined) ||
    byWord.has(key) ||
    bySymbol.get(symbolKey(text))?.some((symbol) => symbol.column === column) === true ||
    text.split(/[/:;+&]/).every((name) => isSubstance(name, references))
  );
}

/** Returns whether a text is the name of a polymer or a solvent. */
export function isSubstance(text: string, references: References): boolean {
  return summaries.some(({ list }) => findEntry(references, list, text) !== undefined);
}

const singular = (word: string): string => word.replace(/s$/, '');

/** Returns whether a text of a heading names another part of the process than that of a column. */
function contradicts(text: string, column: string): boolean {
  const group = memberOfColumn(column)?.group;
  if (group === undefined || group === 'processParameter' || group === 'researchMetadata') return false;
  const groups = headingKey(text)
    .split(' ')
    .flatMap((word) => headingParts[singular(word)] ?? []);
  return groups.length > 0 && !groups.includes(group);
}

/** The choices of the user for a heading. */
export interface HeadingChoice {
  readonly column?: string | undefined;
  readonly unit?: UnitEntry | undefined;
}

/** The text of the unit row below a heading: a unit of the list, or another text. */
export type UnitBelow = UnitEntry | string | undefined;

/**
 * Finds the column that a heading means. A unit in the heading has precedence over that of the unit row. A heading with a
 * text in the place of a unit that is no unit asks for one. Superscripts are footnote marks unless they belong to the
 * unit.
 *
 * @param suggest whether to search similar words, which is slow
 */
export function readHeading(
  heading: string,
  below: UnitBelow,
  references: References,
  suggest: boolean,
  choice: HeadingChoice = {},
): HeadingReading {
  const reading = readWritten(heading, below, references, suggest, choice);
  const withoutAll = withoutMarks(heading, () => false);
  if (withoutAll === heading.trim()) return reading;
  const unmarked = withoutMarks(heading, (before) => {
    const word = /[^\s()[\],;/·]*$/.exec(before)?.[0] ?? '';
    return unitOf(references, word) !== undefined;
  });
  const other = readWritten(unmarked, below, references, false, choice);
  const isBetter = !reading.isKnown || (reading.unit === undefined && other.state !== 'ask');
  if (unmarked !== heading.trim() && other.isKnown && isBetter) {
    return { ...other, unmarked };
  }
  // Without the superscripts of its unit, a heading has another unit or none.
  const { reads, unit } = readWritten(withoutAll, below, references, false, choice);
  const isSame = reading.isKnown && reads === reading.reads && unit === reading.unit;
  return isSame ? { ...reading, unmarked: withoutAll } : reading;
}

function readWritten(
  heading: string,
  below: UnitBelow,
  references: References,
  suggest: boolean,
  choice: HeadingChoice,
): HeadingReading {
  const text = halfWidth(heading).replace(/\s+/g, ' ').trim();
  const [factor] = FACTOR.exec(text) ?? [];
  if (factor !== undefined) {
    const reading = readWritten(text.slice(factor.length), below, references, suggest, choice);
    return { ...reading, dropped: [factor.trim(), ...reading.dropped] };
  }
  const lower = text.toLowerCase();
  const unitBelow = choice.unit ?? (typeof below === 'object' ? below : undefined);
  if (normalizedColumns.includes(lower) && choice.column === undefined) return leftOut('computed from other columns');
  const isName = guessedColumns.includes(lower);
  if (!isName && choice.column === undefined && (text === '' || text.length > MAX_HEADING_LENGTH)) {
    return { ...NO_MEANING, unit: unitBelow, isKnown: false };
  }
  const splits = isName || text.length > MAX_HEADING_LENGTH ? [{ name: text, others: [] }] : splitsOf(text, references);
  const column = choice.column ?? (isName ? lower : undefined);
  let known: HeadingReading | undefined;
  for (const split of column === undefined ? splits : unitsFirst(splits, column)) {
    const unit = choice.unit ?? split.unit ?? unitBelow;
    const whole = column === undefined ? lookUp(split.name, unit) : read(column);
    const [name, qualifier] = whole === undefined ? withoutQualifiers(split.name) : [split.name];
    const found = whole ?? lookUp(name, unit);
    if (found === undefined) continue;
    // The whole heading can name its unit, such as "wt%" or "rpm".
    const own = unit ?? unitNamed(split.name, found.reads, references);
    const isUnitRead = choice.unit !== undefined || split.unit !== undefined;
    const others = [
      ...(qualifier === undefined ? [] : [qualifier]),
      ...split.others,
      ...(isUnitRead || typeof below !== 'string' ? [] : [below]),
    ];
    const finished = withOthers({ ...found, unit: own }, { ...split, others }, references, choice);
    if (finished?.state === 'read') return finished;
    known ??= finished;
  }
  if (known !== undefined) return known;
  const { name, unit = unitBelow } = splits.find((split) => split.unit !== undefined) ?? splits[0] ?? { name: text };
  const key = headingKey(name);
  if (ignored.has(key) || key.split(' ').every((word) => ignored.has(word))) return leftOut('no field for it');
  return { ...ask(suggest ? similarColumns(name, unit) : []), unit, isKnown: false };
}

/** The qualifiers of a column with other values than those of its field: `SD temperature` is no temperature. */
const STATISTICS = new Set(['sd', 'se', 'sem', 'median']);

function isLeading(word: string): boolean {
  const key = headingKey(word);
  return qualifiers.has(key) && !STATISTICS.has(key);
}

/** Separates the words before a name that say something about the values: "Total concentration". */
function withoutQualifiers(text: string): [name: string, qualifier?: string] {
  const words = text.trim().split(' ');
  const at = words.findIndex((word) => !isLeading(word));
  return at > 0 ? [words.slice(at).join(' '), words.slice(0, at).join(' ')] : [text];
}

function unitNamed(name: string, column: string | null, references: References): UnitEntry | undefined {
  const unit = unitOf(references, name);
  if (unit === undefined || headingKey(unit.unit) !== headingKey(name)) return undefined;
  // A symbol is no unit of the field that the user chose: `d` is not a day.
  return column === null || fits({ column }, unit) ? unit : undefined;
}

/** Orders the splits of a heading whose column the user chose: fitting units, other units, then other texts. */
function unitsFirst(splits: readonly Split[], column: string): Split[] {
  const rank = ({ unit, tail }: Split): number =>
    unit === undefined ? (tail === undefined ? 3 : 2) : fits({ column }, unit) ? 0 : 1;
  return [...splits].sort((a, b) => rank(a) - rank(b));
}

/** Judges the texts of a heading that are no unit; undefined if the heading has another meaning. */
function withOthers(
  reading: HeadingReading,
  { name, others, tail }: Split,
  references: References,
  choice: HeadingChoice,
): HeadingReading | undefined {
  const { reads: column, unit } = reading;
  if (column === null) return tail === undefined ? reading : undefined;
  const takesUnit = columnDimensions(column) !== undefined;
  const canHaveTail = takesUnit && (unit === undefined || choice.unit !== undefined);
  if (tail !== undefined && !canHaveTail && !isQualifier(tail, column, references)) return undefined;
  const texts = tail === undefined ? others : [...others, tail];
  const contradiction = choice.column === undefined ? texts.find((text) => contradicts(text, column)) : undefined;
  if (contradiction !== undefined) {
    const other = lookUp(`${contradiction} ${name}`, unit);
    const candidates = [...(typeof other?.reads === 'string' ? [other.reads] : []), column];
    return { ...ask(candidates), unit, reason: `"${contradiction}" contradicts the field` };
  }
  const unread =
    takesUnit && unit === undefined ? texts.find((text) => !isQualifier(text, column, references)) : undefined;
  if (unread === undefined) return { ...reading, dropped: texts };
  const choices = unitsOfColumn(column, references);
  return { ...ask([column]), unit, choices, reason: `the unit "${unread}" is unknown` };
}
