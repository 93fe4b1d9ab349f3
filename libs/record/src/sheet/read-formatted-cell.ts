import { shorten } from '../validate/problems.ts';
import { isStruck, withoutMarks, withoutStrike, withoutStruck } from './formatted-text.ts';
import { type FormattedCell, isFormatted, type PlainCell, type TableCell } from './parse-cell.ts';
import { addNotes, type CellReading, EMPTY_CHOICE, readsOf } from './read-number-cell.ts';

type Formatting = Omit<FormattedCell, 'kind'>;

/**
 * Reads a cell with its formatting: offers the readings of struck text, and notes a number format that changes the
 * reading.
 *
 * @param isText whether the column has texts, which are read as shown
 * @param read reads the cell without its formatting; `isStored` tells whether the text is that of a stored number
 */
export function readFormatted(
  cell: TableCell,
  isText: boolean,
  read: (cell: PlainCell, isStored: boolean) => CellReading,
): CellReading {
  return readValue(isFormatted(cell) ? cell : { value: cell }, isText, read);
}

function readValue(
  { value, shown, format }: Formatting,
  isText: boolean,
  read: (cell: PlainCell, isStored: boolean) => CellReading,
): CellReading {
  if (typeof value === 'string' && isStruck(value)) {
    const as = (choice: string, plain: (text: string) => string) => {
      const result = readValue({ value: plain(value), shown: shown && plain(shown), format }, isText, read);
      return { choice, reads: shorten(readsOf(result)), result };
    };
    const isWhole = withoutStruck(value).trim() === '';
    const choices = isWhole ? [as('value', withoutStrike)] : [as('without', withoutStruck), as('with', withoutStrike)];
    return { kind: 'several', repair: 'struck', choices: [...choices, EMPTY_CHOICE] };
  }
  const reading = read(isText ? (shown ?? value) : value, shown !== undefined);
  return format === undefined ? reading : addNotes(reading, [format]);
}

/** Reads a name or label without its footnote marks. */
export function readUnmarked(text: string, read: (text: string) => CellReading): CellReading {
  const plain = withoutMarks(text, (before) => /\d$/.test(before));
  return plain === text || plain === '' ? read(text) : addNotes(read(plain), ['footnote']);
}

/** Reads a text; offers a text without footnote marks as one of its readings. */
export function readMarked(text: string): CellReading {
  const result = readText(withoutMarks(text, () => false));
  if (readsOf(result) === text) return result;
  return {
    kind: 'several',
    repair: 'footnote',
    choices: [{ choice: 'value', reads: readsOf(result), result }, EMPTY_CHOICE],
  };
}

/** Reads the text of a cell unchanged. */
export function readText(text: string): CellReading {
  return { kind: 'value', value: text, reads: text, notes: [] };
}
