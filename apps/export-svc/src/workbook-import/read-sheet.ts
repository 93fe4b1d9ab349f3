import { posix } from 'node:path';
import type { TableCell } from '@esd/record/sheet/parse-cell';
import { columnIndex, type MergedRange, mergedRange, type TableRow } from '@esd/record/sheet/sheet-grid';
import { shorten } from '@esd/record/validate/problems';
import { meaningOfCode, meaningOfId, type NumberMeaning } from './number-formats.ts';
import type { Workbook } from './open-workbook.ts';
import { RowCells } from '@esd/record/sheet/row-cells';
import { dateCell } from '@esd/record/sheet/unreadable-cell';
import { unreadableFile } from './unreadable-file.ts';
import { MAX_TEXT_LENGTH, xmlItems } from './xml-items.ts';

// Each limit is far beyond a workbook with 1,000 records.
const MAX_SHEETS = 1_000;
const MAX_RELATIONSHIPS = 10_000;
const MAX_SHARED_STRINGS = 250_000;
// The limits of Excel: https://support.microsoft.com/office/excel-specifications-and-limits.
const MAX_FORMATS = 65_490;
const MAX_ROW = 1_048_576;

/** The non-empty rows of a sheet, then its ranges of merged cells. */
export type SheetItems = AsyncIterable<TableRow | MergedRange>;

export interface Sheet {
  readonly name: string;
  readonly items: SheetItems;
}

/** Opens the visible sheets of a workbook, at least one (ECMA-376 part 1, SpreadsheetML). A sheet is read on iteration. */
export async function openSheets(workbook: Workbook): Promise<[Sheet, ...Sheet[]]> {
  const main = (await relationships(workbook, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw unreadableFile('its package names no workbook.');
  const bound = { max: MAX_SHEETS, name: 'sheets' };
  const sheets = await allOf<{ name: string; id: string; isHidden: boolean }>(workbook, main, bound, (emit) => ({
    open: (name, attributes) => {
      if (name !== 'sheet') return;
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      // Shortened, because the message of each problem contains it.
      emit({ name: shorten(attributes['name'] ?? ''), id: relationshipId(attributes), isHidden });
    },
  }));
  const related = await relationships(workbook, main);
  const partOf = (partType: string): string | undefined => related.find(({ type }) => type === partType)?.target;
  const strings = await readStrings(workbook, partOf('sharedStrings'));
  const meanings = await readMeanings(workbook, partOf('styles'));
  const [first, ...others] = sheets.flatMap(({ name, id, isHidden }): Sheet[] => {
    const target = related.find((relationship) => relationship.id === id)?.target;
    return isHidden || target === undefined ? [] : [{ name, items: readItems(workbook, target, strings, meanings) }];
  });
  if (first === undefined) throw unreadableFile('it has no visible sheet.');
  return [first, ...others];
}

interface Relationship {
  readonly id: string;
  /** The last segment of the type URI, which is the same in the strict and the transitional form. */
  readonly type: string;
  readonly target: string;
}

/** Returns the id of a relationship. The attribute is `r:id`, with an arbitrary prefix. */
function relationshipId(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}

/** Returns the relationships of a part, or of the package for '' (ECMA-376 part 2, 9.3). */
async function relationships(workbook: Workbook, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part);
  const file = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!workbook.has(file)) return [];
  return allOf(workbook, file, { max: MAX_RELATIONSHIPS, name: 'relationships' }, (emit) => ({
    open: (name, attributes) => {
      if (name !== 'Relationship') return;
      const target = posix.resolve('/', folder, attributes['Target'] ?? '').slice(1);
      emit({ id: attributes['Id'] ?? '', type: posix.basename(attributes['Type'] ?? ''), target });
    },
  }));
}

async function allOf<Item>(
  workbook: Workbook,
  part: string,
  { max, name }: { max: number; name: string },
  handlersFor: Parameters<typeof xmlItems<Item>>[2],
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of xmlItems(part, await workbook.read(part), handlersFor)) {
    if (items.length === max) throw unreadableFile(`it has more than ${max} ${name}.`);
    items.push(item);
  }
  return items;
}

/** Appends a piece of text. Limits the total length, because the number of pieces is not limited. */
function append(whole: string, piece: string): string {
  if (whole.length + piece.length > MAX_TEXT_LENGTH) {
    throw unreadableFile(`a cell has more than ${MAX_TEXT_LENGTH} characters.`);
  }
  return whole + piece;
}

/** Collects the text of a rich text or string item, which is in all `t` elements except phonetic hints. */
function richText(): {
  open: (name: string) => void;
  text: (text: string) => void;
  close: (name: string) => void;
  take: () => string;
} {
  let whole = '';
  let inText = false;
  let hints = 0;
  return {
    open: (name) => {
      if (name === 'rPh') hints += 1;
      if (name === 't') inText = hints === 0;
    },
    text: (text) => {
      if (inText) whole = append(whole, text);
    },
    close: (name) => {
      if (name === 'rPh') hints -= 1;
      if (name === 't') inText = false;
    },
    take: () => {
      const text = whole;
      whole = '';
      return unescape(text);
    },
  };
}

/** Decodes the escapes of characters that XML excludes, such as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
function unescape(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

async function readStrings(workbook: Workbook, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined) return [];
  return allOf<string>(workbook, part, { max: MAX_SHARED_STRINGS, name: 'shared strings' }, (emit) => {
    const { open, text, close, take } = richText();
    return {
      open,
      text,
      close: (name) => {
        close(name);
        if (name === 'si') emit(take());
      },
    };
  });
}

async function readMeanings(workbook: Workbook, part: string | undefined): Promise<readonly NumberMeaning[]> {
  if (part === undefined) return [];
  // The custom number formats of the workbook, each parsed once.
  const custom = new Map<number, NumberMeaning>();
  const ids = await allOf<number>(workbook, part, { max: MAX_FORMATS, name: 'cell formats' }, (emit) => {
    let inCells = false;
    return {
      open: (name, attributes) => {
        const id = Number(attributes['numFmtId'] ?? 0);
        if (name === 'numFmt') {
          if (custom.size === MAX_FORMATS) throw unreadableFile(`it has more than ${MAX_FORMATS} number formats.`);
          custom.set(id, meaningOfCode(attributes['formatCode'] ?? ''));
        }
        if (name === 'cellXfs') inCells = true;
        if (name === 'xf' && inCells) emit(id);
      },
      close: (name) => {
        if (name === 'cellXfs') inCells = false;
      },
    };
  });
  return ids.map((id) => custom.get(id) ?? meaningOfId(id));
}

async function* readItems(
  workbook: Workbook,
  part: string,
  strings: readonly string[],
  meanings: readonly NumberMeaning[],
): AsyncGenerator<TableRow | MergedRange> {
  yield* xmlItems<TableRow | MergedRange>(part, await workbook.read(part), (emit) => {
    let row = 0;
    let column = 0;
    let cells = new RowCells();
    let cell: { type: string; meaning: NumberMeaning; hasFormula: boolean; value: string | undefined } | undefined;
    let inValue = false;
    const inline = richText();
    return {
      open: (name, attributes) => {
        inline.open(name);
        if (name === 'row') {
          row = rowNumber(attributes['r']) ?? row + 1;
          column = 0;
          cells = new RowCells();
        } else if (name === 'c') {
          column = columnOf(attributes['r']) ?? column;
          const meaning = meanings[Number(attributes['s'] ?? 0)] ?? 'number';
          cell = { type: attributes['t'] ?? 'n', meaning, hasFormula: false, value: undefined };
        } else if (name === 'f' && cell) cell.hasFormula = true;
        else if (name === 'v' && cell) {
          inValue = true;
          cell.value = '';
        } else if (name === 'mergeCell') {
          const range = mergedRange(attributes['ref'] ?? '');
          if (range !== undefined) emit(range);
        }
      },
      text: (text) => {
        inline.text(text);
        if (inValue && cell) cell.value = append(cell.value ?? '', text);
      },
      close: (name) => {
        inline.close(name);
        if (name === 'v') inValue = false;
        else if (name === 'c' && cell) {
          const text = inline.take();
          const read = readCell(cell.type === 'inlineStr' ? { ...cell, value: text } : cell, strings);
          if (read !== undefined) cells.set(column, read);
          cell = undefined;
          column += 1;
        } else if (name === 'row' && cells.size > 0) emit({ number: row, cells });
      },
    };
  });
}

function readCell(
  {
    type,
    meaning,
    hasFormula,
    value,
  }: { type: string; meaning: NumberMeaning; hasFormula: boolean; value: string | undefined },
  strings: readonly string[],
): TableCell | undefined {
  if (value === undefined || value === '') {
    return hasFormula
      ? {
          kind: 'other',
          unreadable: 'The formula has no stored result; open and save the workbook, or paste the value.',
        }
      : undefined;
  }
  switch (type) {
    case 's': {
      const text = strings[Number(value)];
      if (text === undefined) throw unreadableFile(`a cell refers to the missing shared string ${value}.`);
      return text === '' ? undefined : text;
    }
    case 'inlineStr':
      return value;
    case 'str':
      return unescape(value);
    case 'b':
      return value === '1' || value === 'true';
    case 'e':
      return { kind: 'other', unreadable: `The cell contains the error ${value.slice(0, 20)}; write the value.` };
    case 'd':
      return dateCell('The cell contains the date', value.slice(0, 30));
    default:
      return readNumber(Number(value), meaning);
  }
}

function readNumber(number: number, meaning: NumberMeaning): TableCell {
  if (!Number.isFinite(number)) throw unreadableFile('a numeric cell does not contain a number.');
  switch (meaning) {
    case 'number':
      return number;
    case 'percent':
      // As displayed in the sheet: 0.29 × 100 has a rounding error in the 16th digit.
      return `${Number((number * 100).toPrecision(15))} %`;
    case 'date':
      return dateCell('The cell is formatted as a date or time', `(${number})`);
  }
}

/** Returns the column of an address, counted from 0: `AB7` is 27. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0];
  return letters === undefined ? undefined : columnIndex(letters);
}

/** Returns the row number, counted from 1, or undefined if it is absent. */
function rowNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const row = Number(text);
  if (!Number.isInteger(row) || row < 1 || row > MAX_ROW) {
    throw unreadableFile(`a row has the number "${shorten(text)}"; rows count from 1 to ${MAX_ROW}.`);
  }
  return row;
}
