import { findEntry, nearestNames, type ListName, type References } from '@esd/record/reference/reference';
import type { ValidationProblem } from '@esd/record/validate/problems';

const LIST_OF: Readonly<Partial<Record<ValidationProblem['code'], ListName>>> = {
  UNKNOWN_POLYMER: 'polymers',
  UNKNOWN_SOLVENT: 'solvents',
  UNKNOWN_UNIT: 'units',
  UNKNOWN_MORPHOLOGY: 'morphologies',
  UNKNOWN_INSTABILITY: 'instabilities',
};

/** Returns the message of a validation problem in the words of the form. */
export function problemText(
  { code, message }: Pick<ValidationProblem, 'code' | 'message'>,
  typed: string,
  { label, dimensions }: { label: string; dimensions?: readonly string[] | undefined },
  references: References,
): string {
  const list = LIST_OF[code];
  if (list !== undefined) {
    const near = nearestNames(references, list, typed);
    return `“${typed}” is not in the list.${near.length === 0 ? ' Check the spelling, or request a new name.' : ` Did you mean ${orOf(near)}?`}`;
  }
  if (code === 'UNIT_NOT_APPLICABLE') {
    const units = unitsOf(dimensions ?? [], references).slice(0, 2);
    return `“${typed}” is not a unit of ${label.toLowerCase()}. Use ${orOf(units)}.`;
  }
  if (code === 'IMAGE_TAKEN' || code === 'UNKNOWN_IMAGE') {
    return 'This image no longer exists, or it belongs to another record. Remove it and add it again.';
  }
  return message.replace(/^`[^`]*`: /, '').replaceAll('`', '');
}

/** Lists the units of some dimensions, in the order of the dimensions. */
export function unitsOf(dimensions: readonly string[], { lists: { units } }: References): string[] {
  return dimensions.flatMap((dimension) =>
    units.flatMap((unit) => (unit.dimension === dimension && unit.retired !== true ? [unit.unit] : [])),
  );
}

/** Returns the list's own name for a text, or the text itself if the list does not contain it. */
export function ownNameOf(text: string, list: 'polymers' | 'solvents', references: References): string {
  return findEntry(references, list, text)?.name ?? text;
}

function orOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}
