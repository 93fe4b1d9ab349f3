import { isFormatted, type TableCell } from '@esd/record/sheet/parse-cell';
import { columnIndex, type MergedRange, mergedRange, type TableRow } from '@esd/record/sheet/sheet-grid';
import { shorten } from '@esd/record/validate/problems';
import { formatOfCode, formatOfId, formattedNumber, type NumberFormat } from './number-formats.ts';
import { allOf, relationshipId, relationships } from './package-parts.ts';
import { readComments } from './read-comments.ts';
import { append, isOn, richText, type RichText, strike, unescape } from './rich-text.ts';
import type { Workbook } from './open-workbook.ts';
import { RowCells } from '@esd/record/sheet/row-cells';
import { cellText, dateCell, shownText } from '@esd/record/sheet/unreadable-cell';
import { unreadableFile } from './unreadable-file.ts';
import { xmlItems } from './xml-items.ts';

// Each limit is far beyond a workbook with 1,000 records.
const MAX_SHEETS = 1_000;
const MAX_SHARED_STRINGS = 250_000;
// The limits of Excel: https://support.microsoft.com/office/excel-specifications-and-limits.
const MAX_FORMATS = 65_490;
const MAX_ROW = 1_048_576;

/** Columns that a sheet does not show, counted from 0. */
export interface HiddenColumns {
  readonly hiddenFrom: number;
  readonly hiddenTo: number;
}

type SheetItem = TableRow | MergedRange | HiddenColumns;

/** The hidden columns of a sheet, its non-empty rows, and its ranges of merged cells. */
export type SheetItems = AsyncIterable<SheetItem>;

export interface Sheet {
  readonly name: string;
  readonly items: SheetItems;
}

/**
 * Opens the visible sheets of a workbook, at least one (ECMA-376 part 1, SpreadsheetML). A sheet is read on iteration.
 *
 * @param hasComments whether cells are read with their comments
 */
export async function openSheets(workbook: Workbook, hasComments: boolean): Promise<[Sheet, ...Sheet[]]> {
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
  const styles = await readStyles(workbook, partOf('styles'));
  const [first, ...others] = sheets.flatMap(({ name, id, isHidden }): Sheet[] => {
    const target = related.find((relationship) => relationship.id === id)?.target;
    if (isHidden || target === undefined) return [];
    return [{ name, items: readItems(workbook, target, { strings, styles, hasComments }) }];
  });
  if (first === undefined) throw unreadableFile('it has no visible sheet.');
  return [first, ...others];
}

async function readStrings(workbook: Workbook, part: string | undefined): Promise<readonly (string | RichText)[]> {
  if (part === undefined) return [];
  return allOf<string | RichText>(workbook, part, { max: MAX_SHARED_STRINGS, name: 'shared strings' }, (emit) => {
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

interface CellStyle {
  readonly format: NumberFormat;
  readonly isStruck: boolean;
}

const NO_STYLE: CellStyle = { format: 'number', isStruck: false };

async function readStyles(workbook: Workbook, part: string | undefined): Promise<readonly CellStyle[]> {
  if (part === undefined) return [];
  // The custom number formats of the workbook, each parsed once.
  const custom = new Map<number, NumberFormat>();
  /** Whether each font is struck through. */
  const fonts: boolean[] = [];
  const ids = await allOf<{ format: number; font: number }>(
    workbook,
    part,
    { max: MAX_FORMATS, name: 'cell formats' },
    (emit) => {
      let list = '';
      return {
        open: (name, attributes) => {
          const format = Number(attributes['numFmtId'] ?? 0);
          if (name === 'numFmt') {
            if (custom.size === MAX_FORMATS) throw unreadableFile(`it has more than ${MAX_FORMATS} number formats.`);
            custom.set(format, formatOfCode(attributes['formatCode'] ?? ''));
          }
          if (name === 'cellXfs' || name === 'fonts') list = name;
          else if (name === 'xf' && list === 'cellXfs') emit({ format, font: Number(attributes['fontId'] ?? 0) });
          else if (name === 'font' && list === 'fonts') {
            if (fonts.push(false) > MAX_FORMATS) throw unreadableFile(`it has more than ${MAX_FORMATS} fonts.`);
          } else if (name === 'strike' && list === 'fonts') fonts[fonts.length - 1] = isOn(attributes['val']);
        },
        close: (name) => {
          if (name === list) list = '';
        },
      };
    },
  );
  const styles = ids.map(({ format, font }) => ({
    format: custom.get(format) ?? formatOfId(format),
    isStruck: fonts[font] === true,
  }));
  return styles.map((style) => (style.format === 'number' && !style.isStruck ? NO_STYLE : style));
}

interface SheetParts {
  readonly strings: readonly (string | RichText)[];
  readonly styles: readonly CellStyle[];
  readonly hasComments: boolean;
}

interface StoredCell {
  type: string;
  style: CellStyle;
  hasFormula: boolean;
  value: string | undefined;
}

async function* readItems(
  workbook: Workbook,
  part: string,
  { strings, styles, hasComments }: SheetParts,
): AsyncGenerator<SheetItem> {
  const comments = hasComments ? await readComments(workbook, part) : undefined;
  const struckStrings = new Map<string, string>();
  yield* xmlItems<SheetItem>(part, await workbook.read(part), (emit) => {
    let row = 0;
    let isHidden = false;
    let column = 0;
    let cells = new RowCells();
    let cell: StoredCell | undefined;
    let inValue = false;
    const inline = richText();
    return {
      open: (name, attributes) => {
        inline.open(name, attributes);
        if (name === 'row') {
          row = rowNumber(attributes['r']) ?? row + 1;
          isHidden = isOn(attributes['hidden'] ?? '0') || Number(attributes['ht'] ?? 1) === 0;
          column = 0;
          cells = new RowCells();
        } else if (name === 'c') {
          column = columnOf(attributes['r']) ?? column;
          const style = styles[Number(attributes['s'] ?? 0)] ?? NO_STYLE;
          cell = { type: attributes['t'] ?? 'n', style, hasFormula: false, value: undefined };
        } else if (name === 'f' && cell) cell.hasFormula = true;
        else if (name === 'v' && cell) {
          inValue = true;
          cell.value = '';
        } else if (name === 'col' && (isOn(attributes['hidden'] ?? '0') || Number(attributes['width'] ?? 1) === 0)) {
          emit({ hiddenFrom: Number(attributes['min']) - 1, hiddenTo: Number(attributes['max']) - 1 });
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
          const read = readCell(cell, cell.type === 'inlineStr' ? text : undefined, strings, struckStrings);
          if (read !== undefined) cells.set(column, read);
          cell = undefined;
          column += 1;
        } else if (name === 'row') {
          for (const [at, comment] of comments?.get(row) ?? [])
            cells.set(at, withComment(cells.get(at) ?? '', comment));
          if (cells.size > 0) emit({ number: row, cells, ...(isHidden && { isHidden }) });
        }
      },
    };
  });
}

function withComment(cell: TableCell, comment: string): TableCell {
  return isFormatted(cell) ? { ...cell, comment } : { kind: 'formatted', value: cell, comment };
}

function readCell(
  { type, style, hasFormula, value }: StoredCell,
  inline: string | RichText | undefined,
  strings: readonly (string | RichText)[],
  struckStrings: Map<string, string>,
): TableCell | undefined {
  const textIn = (text: string | RichText): string | undefined => {
    if (typeof text === 'object') return (style.isStruck ? text.inStruck : text.inPlain) || undefined;
    if (!style.isStruck || text === '') return text || undefined;
    // Many cells can share a long text.
    const struck = struckStrings.get(text) ?? strike(text);
    struckStrings.set(text, struck);
    return struck;
  };
  if (inline !== undefined) return textIn(inline);
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
      return textIn(text);
    }
    case 'str':
      return textIn(unescape(value));
    case 'b': {
      const flag = value === '1' || value === 'true';
      return style.isStruck ? strike(String(flag).toUpperCase()) : flag;
    }
    case 'e':
      return { kind: 'other', unreadable: `The cell contains the error ${value.slice(0, 20)}; write the value.` };
    case 'd':
      return dateCell('The cell contains the date', value.slice(0, 30));
    default:
      return readNumber(Number(value), style);
  }
}

function readNumber(number: number, { format, isStruck }: CellStyle): TableCell {
  if (!Number.isFinite(number)) throw unreadableFile('a numeric cell does not contain a number.');
  if (format === 'date') return dateCell('The cell is formatted as a date or time', `(${number})`);
  const cell = format === 'number' ? number : formattedNumber(number, format);
  if (!isStruck) return cell;
  const text = { value: strike(cellText(cell)), shown: strike(shownText(cell)) };
  return isFormatted(cell) ? { ...cell, ...text } : { kind: 'formatted', ...text };
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
