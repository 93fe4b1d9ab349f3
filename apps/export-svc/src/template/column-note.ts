import { memberOfColumn } from '@esd/record/flatten/flatten';
import { columnExamples } from '@esd/record/sheet/parse-row';

const SUMMARIES: Readonly<Record<string, string>> = {
  experiment_id: 'The id of a published record, or empty for a new record.',
  is_polymer_blend: 'TRUE or FALSE. If empty, the value is derived from the names.',
  is_solvent_blend: 'TRUE or FALSE. If empty, the value is derived from the names.',
  'polymer(s)': 'A polymer, or several joined by "-". Used only if polymer_components is empty.',
  'solvent(s)': 'A solvent, or several joined by "-". Used only if solvent_components is empty.',
};

export function columnNote(column: string): string {
  const summary = SUMMARIES[column];
  if (summary !== undefined) return summary;
  const place = memberOfColumn(column);
  if (place === undefined) throw new Error(`${column} is not a column`);
  const { kind, field } = place;
  const example = columnExamples[column] ?? '';
  switch (kind) {
    case 'quantity': {
      const unit = 'defaultUnit' in field ? field.defaultUnit : undefined;
      const assumed = unit === undefined ? '' : ` (${unit} if that column is empty)`;
      return `A number with a decimal point. Its unit is in the column ${column}_unit${assumed} or follows the number.`;
    }
    case 'unit':
      return `A unit (${field.kind === 'quantity' ? field.dimensions.join(', ').replaceAll('_', ' ') : ''}).`;
    case 'number':
      return 'A number with a decimal point.';
    case 'boolean':
      return 'TRUE or FALSE.';
    case 'labels':
      return `A label, or several separated by ";": ${example}.`;
    case 'object':
      if ('defaultUnit' in field && field.defaultUnit !== undefined)
        return `A size with its unit, such as ${example}, or JSON.`;
      return `JSON, such as ${example}.`;
    case 'list':
      return `JSON, such as ${example}.`;
    default:
      return 'Text.';
  }
}
