import { flattenedColumns, memberOfColumn } from '@esd/record/flatten/flatten';
import { normalizedColumns } from '@esd/record/flatten/normalized-columns';
import { fold, type References, resolveName } from '@esd/record/reference/reference';
import { nearest } from '@esd/record/validate/nearest-names';
import { type FormField, formField } from './form-fields.ts';

export interface SheetColumn {
  /** As written in the sheet. */
  readonly heading: string;
  /** The flattened column that the heading means; undefined if unknown, `null` if left out. */
  readonly column: string | null | undefined;
  /** The unit in its heading, as in "Voltage (kV)". */
  readonly unit: string | undefined;
}

const SUMMARIES: Readonly<Record<string, string>> = {
  experiment_id: 'Record',
  'polymer(s)': 'Polymer',
  'solvent(s)': 'Solvent',
  is_polymer_blend: 'Several polymers',
  is_solvent_blend: 'Several solvents',
  polymer_components: 'Polymers, in detail',
  solvent_components: 'Solvents, in detail',
  needle_definition: 'Needle size',
  collector_definition: 'Collector details',
  fiber_images: 'Images',
};

/** Labels that are shorter than those of the form. */
const HEADINGS: Readonly<Record<string, string>> = {
  tip_collector_distance: 'Distance',
  was_formation_stable: 'Stable',
  fiber_diameter: 'Diameter',
};

/** Headings that people use in addition to the name and the label of a column. */
const SPELLINGS: Readonly<Record<string, string>> = {
  polymers: 'polymer(s)',
  solvents: 'solvent(s)',
  concentration: 'solution_concentration',
  'tip collector distance': 'tip_collector_distance',
  'tip to collector distance': 'tip_collector_distance',
  needle: 'needle_definition',
  'fiber diameter': 'fiber_diameter',
  viscosity: 'solution_viscosity',
  title: 'publication_title',
  ph: 'solution_ph',
};

/** Returns the form field of a column; undefined for columns with several values. */
export function fieldOfColumn(column: string): FormField | undefined {
  const place = memberOfColumn(column.replace(/_unit$/, '')) ?? memberOfColumn(column);
  if (place?.group === undefined || place.kind === 'list' || place.kind === 'object') return undefined;
  return formField(`${place.group}.${place.member}`);
}

/** Returns the label of a column, and the default unit of its numbers. */
export function columnLabel(column: string): { label: string; unit: string | undefined } {
  const summary = SUMMARIES[column];
  if (summary !== undefined) return { label: summary, unit: undefined };
  const field = fieldOfColumn(column);
  const label = HEADINGS[column.replace(/_unit$/, '')] ?? field?.label ?? column;
  if (memberOfColumn(column)?.kind === 'unit') return { label: `${label}, unit`, unit: undefined };
  return { label, unit: field?.unit };
}

const words = (text: string): string =>
  fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const columnsByWords: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SPELLINGS),
  ...flattenedColumns.map((column) => [words(columnLabel(column).label), column] as const),
  ...flattenedColumns.map((column) => [words(column), column] as const),
]);

/** A heading with a unit: "Voltage (kV)", "Voltage [kV]", or "Voltage, kV". */
const WITH_UNIT = /^(?<name>.*?)\s*(?:[([](?<inside>[^()[\]]+)[)\]]|,\s*(?<behind>\S+))$/u;

/** Finds the column and the unit that a heading means. */
export function readHeading(heading: string, references: References): SheetColumn {
  const text = heading.trim();
  const lower = text.toLowerCase();
  if (flattenedColumns.includes(lower)) return { heading: text, column: lower, unit: undefined };
  // Normalized columns are derived from the others.
  if (normalizedColumns.includes(lower)) return { heading: text, column: null, unit: undefined };
  const { name, inside, behind } = WITH_UNIT.exec(text)?.groups ?? {};
  const unit = inside ?? behind;
  const known = unit === undefined ? undefined : resolveName(references, 'units', unit);
  if (name !== undefined && known?.kind === 'found') {
    return { heading: text, column: columnsByWords.get(words(name)), unit: known.entry.unit };
  }
  return { heading: text, column: columnsByWords.get(words(text)), unit: undefined };
}

export function headingError(heading: string): string {
  const [near] = nearest(
    words(heading),
    [...columnsByWords].map(([spelling, column]) => [spelling, column]),
  );
  const hint = near === undefined ? '' : ` Did you mean ${columnLabel(near).label}?`;
  return heading === ''
    ? 'This column has no heading. Choose what it contains, or leave it out.'
    : `“${heading}” is not a known column.${hint} Choose what it contains, or leave it out.`;
}
