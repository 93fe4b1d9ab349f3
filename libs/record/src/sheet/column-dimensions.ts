import { recordFields } from '../catalog/catalog.ts';
import { memberOfColumn, sheetColumns } from '../flatten/flatten.ts';
import type { References } from '../reference/reference.ts';

const { molecularWeight } = recordFields.polymerProperty.fields.polymerComponents.fields;

/** The column with the molecular weight of a polymer, which is a part of its component in other files. */
export const MOLECULAR_WEIGHT = molecularWeight.sheetColumn;

/** The columns that a sheet with any headings can have. */
export const guessedColumns: readonly string[] = [...sheetColumns, MOLECULAR_WEIGHT];

/** The dimensions of the numbers in columns whose fields are objects or lists. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  needle_definition: ['gauge', 'length'],
  collector_definition: ['rotational_speed', 'speed'],
  [MOLECULAR_WEIGHT]: molecularWeight.dimensions,
  polymer_components: recordFields.polymerProperty.fields.polymerComponents.fields.weightRatio.dimensions,
  solvent_components: recordFields.solventProperty.fields.solventComponents.fields.volumeRatio.dimensions,
};

/** Returns the dimensions of the units that fit a flattened column; undefined for a column without units. */
export function columnDimensions(column: string): readonly string[] | undefined {
  const place = memberOfColumn(column);
  return place?.kind === 'quantity' && place.field.kind === 'quantity' ? place.field.dimensions : COMPOSED[column];
}

/** Returns the units that fit a flattened column, its default unit first; `percent` stands for `%`. */
export function unitsOfColumn(column: string, { lists }: References): string[] {
  const dimensions = columnDimensions(column) ?? [];
  const field = memberOfColumn(column)?.field;
  const first = field?.kind === 'quantity' ? field.defaultUnit : undefined;
  const units = lists.units.filter(({ dimension, retired }) => retired !== true && dimensions.includes(dimension));
  return units
    .map(({ unit }) => unit)
    .sort((a, b) => Number(b === first) - Number(a === first))
    .map((unit) => (unit === '%' ? 'percent' : unit));
}
