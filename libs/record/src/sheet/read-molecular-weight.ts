import type { UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { cleanText } from './number-text.ts';
import { isEmptyWord, unreadableError } from './read-cell.ts';
import { readFormatted } from './read-formatted-cell.ts';
import type { TableCell } from './parse-cell.ts';
import { ABSENT, type CellReading, readNumberText } from './read-number-cell.ts';
import type { DecimalMark } from './sheet-reading.ts';

const DEFAULT_UNIT = 'g/mol';
/** `Mn 80,000`, `Mw = 89-98 kDa`, `900 kDa` */
const TEXT =
  /^(?:(?:average |avg\.? )?(?<average>m[nwv]|m w|molecular weight|molar mass)\b\.?[ =:~≈]*)?(?<number>\d[^\p{L}]*(?:to \d[^\p{L}]*)?)(?<unit>\p{L}.*)?$/iu;
/** A molar mass has no decimals that look like thousands: `80,000` is 80000. */
const THOUSANDS = /\d,\d{3}(?!\d)/;

interface Context {
  readonly mark: DecimalMark | undefined;
  readonly unitOf: (text: string) => UnitEntry | undefined;
  /** The unit of the heading. */
  readonly unit?: UnitEntry | undefined;
  /** Whether the cell has nothing else than a molecular weight. */
  readonly isColumn?: boolean;
}

/** The reading of a molecular weight; the value is a text such as `89 kDa`, and `reads` names Mn or Mw if the text does. */
export function readMolecularWeight(
  text: string,
  { mark, unitOf, unit: headingUnit, isColumn = false }: Context,
): CellReading | undefined {
  const { average, number = '', unit } = TEXT.exec(text)?.groups ?? {};
  if (number === '') return undefined;
  const name = average === undefined || average.length > 3 ? '' : `M${average.at(-1)?.toLowerCase() ?? ''} `;
  const finish = (value: number, cellUnit: string | undefined): CellReading => {
    const written = cellUnit ?? headingUnit?.unit ?? DEFAULT_UNIT;
    const entry = unitOf(written);
    if (entry?.dimension !== 'molar_mass') {
      const message = `Expected a molecular weight in a unit such as g/mol or kDa, got ${describe(text)}.`;
      return { kind: 'error', code: 'UNIT_NOT_APPLICABLE', message };
    }
    const reads = withUnit(value, entry.unit);
    const isStated = name === '' && (cellUnit ?? headingUnit) !== undefined && isColumn;
    return { kind: 'value', value: reads, reads: name + reads, notes: isStated ? [] : ['molecular-weight'] };
  };
  const reading = readNumberText((number + (unit ?? '')).trim(), {
    mark: THOUSANDS.test(number) ? '.' : mark,
    hasSpread: false,
    spreadUnit: DEFAULT_UNIT,
    unitOf,
    finish,
  });
  // The note of the molecular weight has the number.
  return reading.kind === 'value'
    ? { ...reading, notes: reading.notes.filter((kind) => kind !== 'thousands') }
    : reading;
}

/** Returns the reader of a column of molecular weights. */
export function molecularWeightReader(context: Context): (cell: TableCell) => CellReading {
  return (formatted) =>
    readFormatted(formatted, false, (cell) => {
      const unreadable = unreadableError(cell);
      if (unreadable !== undefined || typeof cell === 'object') return unreadable ?? ABSENT;
      const text = cleanText(String(cell));
      if (isEmptyWord(text)) return { ...ABSENT, notes: ['empty-word'] };
      const message = `Expected a molecular weight such as 80000 g/mol or 80 kDa, got ${describe(text)}.`;
      return (
        readMolecularWeight(text, { ...context, isColumn: true }) ?? { kind: 'error', code: 'WRONG_TYPE', message }
      );
    });
}

export interface DetailReading {
  readonly molecularWeight: CellReading | undefined;
  /** Whether the detail has other texts. */
  readonly hasRest: boolean;
}

/** Finds the molecular weight in the detail of a polymer: `Mw 89-98 kDa, 99+% hydrolyzed`. It has `Mn`, `Mw`, or a unit. */
export function molecularWeightIn(detail: string, context: Context): DetailReading {
  const parts = detail
    .split(/[,;] | ?[()] ?/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of parts) {
    const { average, unit } = TEXT.exec(part)?.groups ?? {};
    if (average === undefined && unit === undefined) continue;
    const reading = readMolecularWeight(part, context);
    if (reading !== undefined && reading.kind !== 'error')
      return { molecularWeight: reading, hasRest: parts.length > 1 };
  }
  return { molecularWeight: undefined, hasRest: true };
}
