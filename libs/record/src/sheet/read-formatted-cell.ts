import { MAX_RECORD_BYTES } from '../submission-size.ts';
import {
  ABSENT,
  addNotes,
  type CellReading,
  choiceOf,
  EMPTY_CHOICE,
  type ErrorReading,
  failed,
  readAs,
  several,
} from './cell-reading.ts';
import { isStruck, withoutMarks, withoutStrike, withoutStruck } from './formatted-text.ts';
import { cleanText } from './number-text.ts';
import { type FormattedCell, isFormatted, type PlainCell, type TableCell } from './parse-cell.ts';

const EMPTY_WORDS: ReadonlySet<string> = new Set([
  ...['n.a.', 'n.a', 'n/a', 'na', 'nd', 'n.d.', 'n.d', 'n.m.', 'tbd', 'k.a.', 'k. a.', 'none', 'unknown'],
  ...['-', '–', '—', '--', '?', '/', '…', '...', '未测', '无', 'keine angabe'],
  ...['not reported', 'not measured', 'not recorded', 'not determined'],
]);

export function isEmptyWord(text: string): boolean {
  return text.length <= 20 && EMPTY_WORDS.has(text.toLowerCase());
}

/** Returns the error of a cell that cannot be read as text. */
export function unreadableError(cell: PlainCell): ErrorReading | undefined {
  if (typeof cell === 'object') {
    const date = 'The spreadsheet converted this value to a date. Format the column as text.';
    return failed('WRONG_TYPE', cell.kind === 'date' ? date : cell.unreadable);
  }
  if (typeof cell !== 'string' || cell.length <= MAX_RECORD_BYTES) return undefined;
  const message = `A record must have at most ${MAX_RECORD_BYTES} bytes; this cell alone has ${cell.length}.`;
  return failed('TOO_LONG', message);
}

/** A cell that has a text and is no empty word. */
interface FilledCell {
  /** The text with normal spaces and signs. */
  readonly text: string;
  readonly cell: Exclude<PlainCell, object>;
  /** Whether the text is that of a stored number. */
  readonly isStored: boolean;
}

/**
 * Reads a cell with its formatting: offers the readings of struck text, and notes a number format that changes the
 * reading. Refuses an unreadable cell, and reads an empty word as an absent value.
 *
 * @param isText whether the column has texts, which are read as shown
 * @param read reads the cell without its formatting
 */
export function readFormatted(
  formatted: TableCell,
  isText: boolean,
  read: (cell: FilledCell) => CellReading,
): CellReading {
  return readValue(isFormatted(formatted) ? formatted : { value: formatted }, isText, read);
}

function readValue(
  { value, shown, format }: Omit<FormattedCell, 'kind'>,
  isText: boolean,
  read: (cell: FilledCell) => CellReading,
): CellReading {
  if (typeof value === 'string' && isStruck(value)) {
    const as = (choice: string, plain: (text: string) => string) =>
      choiceOf(choice, readValue({ value: plain(value), shown: shown && plain(shown), format }, isText, read));
    const isWhole = withoutStruck(value).trim() === '';
    const choices = isWhole ? [as('value', withoutStrike)] : [as('without', withoutStruck), as('with', withoutStrike)];
    return several('struck', ...choices, EMPTY_CHOICE);
  }
  const cell = isText ? (shown ?? value) : value;
  const error = unreadableError(cell);
  if (error !== undefined || typeof cell === 'object') return error ?? ABSENT;
  const text = cleanText(String(cell));
  const reading = isEmptyWord(text)
    ? readAs(undefined, '', 'empty-word')
    : read({ text, cell, isStored: shown !== undefined });
  return format === undefined ? reading : addNotes(reading, format);
}

/** Reads a name or label without its footnote marks. */
export function readUnmarked(text: string, read: (text: string) => CellReading): CellReading {
  const plain = withoutMarks(text, (before) => /\d$/.test(before));
  return plain === text || plain === '' ? read(text) : addNotes(read(plain), 'footnote');
}

/** Reads a text; offers a text without footnote marks as one of its readings. */
export function readMarked(text: string): CellReading {
  const unmarked = withoutMarks(text, () => false);
  return unmarked === text
    ? readAs(text, text)
    : several('footnote', choiceOf('value', readAs(unmarked, unmarked)), EMPTY_CHOICE);
}
