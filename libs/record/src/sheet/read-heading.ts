import { fieldName } from '../catalog/field-names.ts';
import { type ColumnWords, headingWords, ignoredHeadings } from '../catalog/heading-words.ts';
import { flattenedColumns, memberOfColumn } from '../flatten/flatten.ts';
import { normalizedColumns } from '../flatten/normalized-columns.ts';
import { type References, resolveName, type UnitEntry } from '../reference/reference.ts';
import { editDistance } from '../validate/nearest-names.ts';
import { columnDimensions } from './column-dimensions.ts';
import type { ReadColumn } from './sheet-reading.ts';

/** A longer heading resolves to nothing. */
const MAX_HEADING_LENGTH = 200;
const MAX_UNIT_WORDS = 4;
const MAX_SLASHES = 4;

export type HeadingReading = Pick<ReadColumn, 'state' | 'reads' | 'candidates' | 'reason'> & {
  readonly unit: UnitEntry | undefined;
  /** Whether the heading, without its unit, is a word of the catalog or an ignorable heading. */
  readonly isKnown: boolean;
  /** Whether the words of the heading have another meaning with another unit. */
  readonly hasMeanings: boolean;
};

const AMERICAN: readonly (readonly [british: RegExp, american: string])[] = [
  [/fibre/g, 'fiber'],
  [/behaviour/g, 'behavior'],
  [/colour/g, 'color'],
];
const SUPERSCRIPTS_AT_END = /[\u00B9\u00B2\u00B3\u2070-\u2079\u02B0-\u02B8\u1D43-\u1D61]+$/;

/** Returns the form in which headings are compared. Expects the heading without its unit. */
export function headingKey(text: string): string {
  let key = text
    .trim()
    .replace(SUPERSCRIPTS_AT_END, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘`´]/g, "'");
  for (const [british, american] of AMERICAN) key = key.replace(british, american);
  return key.replace(/[\s_\-‐-―−.:*?]+/g, ' ').trim();
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
const names = flattenedColumns.flatMap((column): (readonly [string, Words])[] => {
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

const SUPERSCRIPTS = new RegExp(SUPERSCRIPTS_AT_END.source.slice(0, -1), 'g');
const wordsIn = (text: string): string[] => headingKey(text.replace(SUPERSCRIPTS, ' ')).match(/\p{L}+|\p{S}/gu) ?? [];
/** The longest word of each column name, label, synonym, and symbol. */
const vocabulary = new Set(
  [...byWord.keys(), ...bySymbol.keys()].map((key) => wordsIn(key).toSorted((a, b) => b.length - a.length)[0]),
);

/** Returns whether a text can be a heading of the catalog. Reading a heading is slow, and most cells are none. */
export function hasHeadingWord(text: string): boolean {
  const words = wordsIn(text);
  return words.length === 0 || words.some((word) => vocabulary.has(word));
}

/** "Polymer 1", "Solvent B": components in that order. */
export const NUMBERED = /^(?<list>polymer|solvent) ?(?:\d|[a-d]|i{1,3})$/;

/** Returns the unit that a text stands for, in brackets or not. */
export function unitOf(references: References, text: string): UnitEntry | undefined {
  const plain = text
    .trim()
    .replace(/^[[(](.*)[\])]$/s, '$1')
    .replace(/^in /i, '')
    .trim();
  if (plain === '' || plain.length > MAX_HEADING_LENGTH) return undefined;
  const resolution = resolveName(references, 'units', plain);
  return resolution.kind === 'found' ? resolution.entry : undefined;
}

interface Split {
  readonly name: string;
  readonly unit?: UnitEntry;
}

const BRACKETS = /\[[^[\]]*\]|\([^()]*\)/g;

/** Returns the ways to separate a heading from its unit, the most likely first. */
function splitsOf(heading: string, references: References): Split[] {
  let bracketed: UnitEntry | undefined;
  let isPlural = false;
  const rest = heading.replace(BRACKETS, (bracket, at: number) => {
    // In "Polymer(s)", the bracket is an ending, although s is a unit.
    if (bracket === '(s)' && at > 0 && heading[at - 1] !== ' ') isPlural = true;
    bracketed ??= unitOf(references, bracket);
    return ' ';
  });
  const name = rest.replace(/\s+/g, ' ').trim();
  if (bracketed !== undefined) return [{ name, unit: bracketed }, ...(isPlural ? [{ name }] : [])];
  const splits: Split[] = [{ name }];
  const add = (before: string, after: string): void => {
    const unit = before.trim() === '' ? undefined : unitOf(references, after);
    if (unit !== undefined) splits.push({ name: before.trim().replace(/[,/;=]$/, ''), unit });
  };
  const words = name.split(' ');
  for (let count = 1; count <= MAX_UNIT_WORDS && count < words.length; count++) {
    add(words.slice(0, -count).join(' '), words.slice(-count).join(' '));
  }
  for (let at = name.indexOf('/'), tries = 0; at >= 0 && tries < MAX_SLASHES; at = name.indexOf('/', at + 1), tries++) {
    add(name.slice(0, at), name.slice(at + 1));
  }
  const comma = name.lastIndexOf(',');
  if (comma > 0) add(name.slice(0, comma), name.slice(comma + 1));
  if (name.endsWith('%')) add(name.slice(0, -1), '%');
  return splits;
}

/** Returns whether a unit fits what words stand for. */
function fits({ column, units }: Words, unit: UnitEntry): boolean {
  return units === undefined ? columnDimensions(column)?.includes(unit.dimension) === true : units.includes(unit.unit);
}

const columnsOf = (words: readonly Words[]): string[] => [...new Set(words.map(({ column }) => column))];

type Meaning = Omit<HeadingReading, 'unit' | 'isKnown'>;

const ask = (candidates: readonly string[]): Meaning => ({
  state: 'ask',
  reads: null,
  candidates,
  reason: null,
  hasMeanings: false,
});
const read = (column: string): Meaning => ({
  state: 'read',
  reads: column,
  candidates: [],
  reason: null,
  hasMeanings: false,
});

function fittingColumns(words: readonly Words[], unit: UnitEntry | undefined): string[] {
  return columnsOf(words.filter((one) => (unit === undefined ? one.units === undefined : fits(one, unit))));
}

function chooseWords(words: readonly Words[], unit: UnitEntry | undefined): Meaning {
  const fitting = fittingColumns(words, unit);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return { ...read(only), hasMeanings: columnsOf(words).length > 1 };
  return ask(fitting.length > 1 ? fitting : columnsOf(words));
}

function lookUp(name: string, unit: UnitEntry | undefined): Meaning | undefined {
  const key = headingKey(name);
  const words = byWord.get(key);
  if (words !== undefined) return chooseWords(words, unit);
  const list = NUMBERED.exec(key)?.groups?.['list'];
  if (list !== undefined) return chooseWords([{ column: `${list}(s)` }], unit);
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

/**
 * Finds the column that a heading means. A unit in the heading has precedence over that of the unit row.
 *
 * @param suggest whether to search similar words, which is slow
 */
export function readHeading(
  heading: string,
  unitBelow: UnitEntry | undefined,
  references: References,
  suggest: boolean,
): HeadingReading {
  const text = heading.replace(/\s+/g, ' ').trim();
  const lower = text.toLowerCase();
  if (flattenedColumns.includes(lower)) return { ...read(lower), unit: unitBelow, isKnown: true };
  if (normalizedColumns.includes(lower)) {
    const reason = 'computed from other columns';
    return { ...ask([]), state: 'left-out', reason, unit: undefined, isKnown: true };
  }
  if (text === '' || text.length > MAX_HEADING_LENGTH) return { ...ask([]), unit: unitBelow, isKnown: false };
  const splits = splitsOf(text, references);
  let known: HeadingReading | undefined;
  for (const { name, unit = unitBelow } of splits) {
    const found = lookUp(name, unit);
    if (found === undefined) continue;
    // The whole heading can name its unit, such as "wt%" or "rpm".
    const own = unit ?? (unitOf(references, name)?.unit === headingKey(name) ? unitOf(references, name) : undefined);
    const reading = { ...found, unit: own, isKnown: true };
    if (found.state === 'read') return reading;
    known ??= reading;
  }
  if (known !== undefined) return known;
  const { name, unit = unitBelow } = splits.find((split) => split.unit !== undefined) ?? splits[0] ?? { name: text };
  if (
    headingKey(name)
      .split(' ')
      .every((word) => ignored.has(word))
  ) {
    return { ...ask([]), state: 'left-out', reason: 'no field for it', unit: undefined, isKnown: true };
  }
  return { ...ask(suggest ? similarColumns(name, unit) : []), unit, isKnown: false };
}
