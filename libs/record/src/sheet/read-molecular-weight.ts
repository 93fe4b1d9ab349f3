import type { UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { type CellReading, failed, readAs } from './cell-reading.ts';
import { readNumberText } from './read-number-cell.ts';
import type { DecimalMark } from './sheet-reading.ts';

const DEFAULT_UNIT = 'g/mol';
/** The words before a molecular weight: `Mn 80,000`, `Mw = 89-98 kDa`. */
const AVERAGE = /^(?:average |avg\.? )?(?<average>m[nwv]|m w|molecular weight|molar mass)\b\.?[ =:]*/i;
const THOUSANDS = /\d,\d{3}(?!\d)/;

interface Context {
  readonly mark: DecimalMark | undefined;
  readonly unitOf: (text: string) => UnitEntry | undefined;
  /** The unit of the heading. */
  readonly unit?: UnitEntry | undefined;
}

/**
 * Reads a molecular weight. The value is a text such as `89 kDa`, and `reads` names Mn or Mw if the text does.
 *
 * @param isStated whether the place of the text says that it is a molecular weight
 */
export function readMolecularWeight(
  text: string,
  { mark, unitOf, unit: headingUnit }: Context,
  isStated: boolean,
): CellReading {
  const { 0: before = '', groups: { average = '' } = {} } = AVERAGE.exec(text) ?? {};
  const number = text.slice(before.length);
  const name = /^m ?[nwv]$/i.test(average) ? `M${average.slice(-1).toLowerCase()} ` : '';
  const finish = (value: number, cellUnit: string | undefined): CellReading => {
    const entry = unitOf(cellUnit ?? headingUnit?.unit ?? DEFAULT_UNIT);
    if (entry?.dimension !== 'molar_mass') {
      const message = `Expected a molecular weight in a unit such as g/mol or kDa, got ${describe(text)}.`;
      return failed('UNIT_NOT_APPLICABLE', message);
    }
    const reads = withUnit(value, entry.unit);
    const isPlain = isStated && name === '' && (cellUnit ?? headingUnit) !== undefined;
    return readAs(reads, name + reads, ...(isPlain ? [] : (['molecular-weight'] as const)));
  };
  // `80,000` g/mol has thousands, because no polymer has 80 g/mol. In kDa, both readings are possible.
  const [unit] = /\p{L}.*$/u.exec(number) ?? [];
  const factor = (unit === undefined ? headingUnit : unitOf(unit))?.factor ?? 1;
  const hasThousands = factor === 1 && THOUSANDS.test(number);
  const reading = readNumberText(number, { mark: hasThousands ? '.' : mark, unitOf, finish });
  if (reading.kind !== 'value' || !hasThousands) return reading;
  // The note of the molecular weight has the number.
  return { ...reading, notes: reading.notes.filter((kind) => kind !== 'thousands') };
}

/**
 * Finds the molecular weight in the detail of a polymer: `Mw 89-98 kDa, 99+% hydrolyzed`. It has `Mn`, `Mw`, or a unit.
 * `isAll` tells whether the detail has no other text.
 */
export function molecularWeightIn(
  detail: string,
  context: Context,
): { readonly reading: CellReading; readonly isAll: boolean } | undefined {
  const parts = detail.split(/[,;] | ?[()] ?/).flatMap((part) => part.trim() || []);
  for (const part of parts) {
    if (!AVERAGE.test(part) && !/\d[^\p{L}]*\p{L}/u.test(part)) continue;
    const reading = readMolecularWeight(part, context, false);
    if (reading.kind !== 'error') return { reading, isAll: parts.length === 1 };
  }
  return undefined;
}
