import { recordFeatures } from '../filter/filter-keys.ts';
import { memberOfColumn, summaries } from '../flatten/flatten.ts';
import { nameLists } from '../flatten/file-columns.ts';
import { featureFacts } from './feature-facts.ts';
import { keyFacts } from './key-facts.ts';

export function columnText(column: string): string {
  if (column === 'experiment_id') return 'The id of the record.';
  for (const { components, isBlend, names } of summaries) {
    if (column === isBlend) return `Whether there are several ${components.replace('_', ' ')}.`;
    if (column === names) return `The names of the ${components.replace('_', ' ')}, joined with "-".`;
  }
  const computed = textOfComputed(column);
  if (computed !== undefined) return computed;
  const member = memberOfColumn(column);
  const words = wordsOf(column.replace(/_unit$/, ''));
  if (member?.kind === 'unit') return `The unit of the ${words}, as submitted.`;
  const feature = recordFeatures.find((one) => one.column === column && member?.kind === 'quantity');
  const facts = featureFacts.find((one) => one.feature === feature?.feature);
  const text = facts?.description ?? `The ${words}.`;
  if (member?.kind === 'quantity') return `${text} Its unit is in ${column}_unit${defaultOf(feature?.unit)}.`;
  return member?.kind === 'list' || member?.kind === 'labels' || member?.kind === 'object'
    ? `${text} JSON text.`
    : text;
}

/** Returns the text of a column that has no counterpart in the record: a normalized number, a fact of the paper, or a list of names. */
function textOfComputed(column: string): string | undefined {
  const facts = keyFacts.find((one) => one.column === column);
  if (facts) return facts.unit === null ? facts.description : `${facts.description} In ${facts.unit}.`;
  const list = nameLists.find(([name]) => name === column);
  return list && `The names in ${list[1]}, as a list.`;
}

function wordsOf(column: string): string {
  return column.replaceAll('_', ' ').replace(/^(is|was) /, '');
}

function defaultOf(unit: string | undefined): string {
  return unit === undefined ? '' : `; the default is ${unit}`;
}
