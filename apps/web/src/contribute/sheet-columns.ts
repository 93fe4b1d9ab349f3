import { memberOfColumn } from '@esd/record/flatten/flatten';
import { type FormField, formField } from './form-fields.ts';

const SUMMARIES: Readonly<Record<string, string>> = {
  experiment_id: 'Record',
  'polymer(s)': 'Polymer',
  'solvent(s)': 'Solvent',
  is_polymer_blend: 'Several polymers',
  is_solvent_blend: 'Several solvents',
  polymer_components: 'Polymers, in detail',
  solvent_components: 'Solvents, in detail',
  molecular_weight: 'Molecular weight',
  needle_definition: 'Needle size',
  collector_definition: 'Collector details',
  fiber_images: 'Images',
};

/** Labels that are shorter than those of the form. */
const HEADINGS: Readonly<Record<string, string>> = {
  tip_collector_distance: 'Distance',
  was_formation_stable: 'Stable',
};

/** Returns the form field of a column; undefined for columns with several values. */
function fieldOfColumn(column: string): FormField | undefined {
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
