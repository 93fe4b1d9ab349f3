import { findEntry, type References } from '@esd/record/reference/reference';
import { cleanText } from '@esd/record/sheet/number-text';
import { type CellReading, failed, readAs } from '@esd/record/sheet/cell-reading';
import { readNumberText, SPREAD_UNIT } from '@esd/record/sheet/read-number-cell';
import { withUnit } from '@esd/record/units/units';
import type { FormField } from './form-fields.ts';
import { type FormValues, numberOf, unitOf } from './form-values.ts';

/** One reading of a typed number. */
export interface TypedReading {
  readonly reads: string;
  /** The values of the form that it fills in, by path. */
  readonly values: FormValues;
}

export type ReadTyped = typeof readTyped;

const DIAMETER = 'fiberProperty.fiberDiameter';

/**
 * Reads a text such as `20 kV`, `0,5` or `89000-98000` in a field of a number, as the reader of sheets does. Returns its
 * readings; none for a plain number, and for a text that is no number.
 */
export function readTyped(field: FormField, values: FormValues, references: References): readonly TypedReading[] {
  const text = cleanText(values[field.path] ?? '');
  if (text === '' || numberOf(text) !== undefined) return [];
  // The spread of a diameter can be a percentage.
  const dimensions = [...(field.dimensions ?? []), ...(field.path === DIAMETER ? ['relative'] : [])];
  const unitOfText = (text: string) => {
    const unit = findEntry(references, 'units', text);
    return unit && dimensions.includes(unit.dimension) ? unit : undefined;
  };
  const reading = readNumberText(text, {
    mark: undefined,
    ...(field.path === DIAMETER && { spreadUnit: unitOf(field, values) ?? SPREAD_UNIT }),
    unitOf: unitOfText,
    finish: (value, unit) =>
      unit === undefined || unitOfText(unit)
        ? readAs(`${value} ${unit ?? ''}`, withUnit(value, unit ?? ''))
        : failed('UNIT_NOT_APPLICABLE', ''),
  });
  return typedReadings(reading, field);
}

function typedReadings(reading: CellReading, field: FormField): TypedReading[] {
  if (reading.kind === 'several') return reading.choices.flatMap(({ result }) => typedReadings(result, field));
  if (reading.kind === 'error' || reading.value === undefined) return [];
  const [number = '', unit = ''] = String(reading.value).split(' ');
  const { spread, count } = reading;
  const variation = `${DIAMETER}Variation`;
  const values = {
    [field.path]: number,
    ...(unit === '' ? {} : { [field.unitPath]: unit }),
    ...(spread && { [variation]: String(spread.value), [`${variation}Unit`]: spread.unit }),
    ...(count !== undefined && { [`${DIAMETER}Count`]: String(count) }),
  };
  return [{ reads: reading.reads, values }];
}
