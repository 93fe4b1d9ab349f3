import { csvRows } from './csv-rows.ts';
import type { TableRow } from './sheet-grid.ts';
import type { Separator, SheetFile } from './sheet-reading.ts';

type Encoding = NonNullable<SheetFile['encoding']>;

/** In the order in which they win a tie. */
const SEPARATORS: readonly Separator[] = [';', '\t', ','];
const SAMPLE_LINES = 20;
const SAMPLE_LENGTH = 200_000;

/** The first bytes of a text in UTF-16, with the label of its decoder. */
const UTF_16 = [
  { mark: [0xff, 0xfe], label: 'utf-16le' },
  { mark: [0xfe, 0xff], label: 'utf-16be' },
] as const;

/**
 * Decodes a text file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252. Returns undefined for other bytes:
 * a control character other than tab, CR and LF excludes Windows-1252, and NUL excludes UTF-8.
 */
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } | undefined {
  const wide = UTF_16.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  try {
    if (wide !== undefined) {
      return { text: new TextDecoder(wide.label, { fatal: true }).decode(bytes), encoding: 'utf-16' };
    }
    if (bytes.includes(0)) return undefined;
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    if (wide !== undefined || bytes.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)) {
      return undefined;
    }
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}

/**
 * Opens a text as rows. A first line `sep=` sets the separator and is no row. Throws UnreadableSheet while it yields.
 *
 * @param hasNames whether the first line has the names of columns, and therefore shows the separator
 */
export function openText(text: string, hasNames = false): { separator: Separator; rows: Iterable<TableRow> } {
  const [line = '', stated] = /^"?sep=([;,\t])"?(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  const separator =
    SEPARATORS.find((mark) => mark === stated) ?? (hasNames ? separatorOfNames(text) : separatorOf(text));
  return { separator, rows: csvRows(text.slice(line.length), separator) };
}

/** Returns the separator that occurs most often in the first line. */
function separatorOfNames(text: string): Separator {
  const [line = ''] = text.slice(0, SAMPLE_LENGTH).split(/[\r\n]/, 1);
  const count = (separator: Separator): number => line.split(separator).length;
  return SEPARATORS.reduce((best, separator) => (count(separator) > count(best) ? separator : best), ',');
}

/** Returns the separator with which the most of the first 20 lines have the same number of cells. */
function separatorOf(text: string): Separator {
  let best: Separator = ',';
  let most = 0;
  for (const separator of SEPARATORS) {
    const widths = new Map<number, number>();
    for (const width of widthsOf(text, separator)) if (width > 1) widths.set(width, (widths.get(width) ?? 0) + 1);
    const lines = Math.max(0, ...widths.values());
    if (lines > most) {
      best = separator;
      most = lines;
    }
  }
  return best;
}

/** Returns the number of cells of the first lines; separators in quotes do not count. */
function widthsOf(text: string, separator: Separator): number[] {
  const widths: number[] = [];
  let width = 1;
  let isQuoted = false;
  const end = Math.min(text.length, SAMPLE_LENGTH);
  for (let at = 0; at < end && widths.length < SAMPLE_LINES; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === separator) width += 1;
    else if (character === '\n' || (character === '\r' && text[at + 1] !== '\n')) {
      widths.push(width);
      width = 1;
    }
  }
  if (widths.length < SAMPLE_LINES && width > 1) widths.push(width);
  return widths;
}
