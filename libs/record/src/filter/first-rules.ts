import { isOfKind } from './device-kinds.ts';
import type { TextKey } from './filter-keys.ts';

/**
 * Categories of collectors and needles by RULES 1, word for word: personal snapshots that have no list of their rows were made
 * by them (`parseFilter(json, 1)`). Never changed: a later change of the rules has to keep this meaning.
 */
const kinds: readonly { key: TextKey; asked: readonly string[]; words: readonly string[] }[] = [
  {
    key: 'collectorType',
    asked: ['rotating', 'rotating collector', 'rotary', 'rotary collector'],
    words: ['rotating', 'rotary', 'rolling', 'drum', 'mandrel', 'disk', 'disc'],
  },
  {
    key: 'needleType',
    asked: ['single', 'single needle', 'single nozzle', 'uniaxial', 'monoaxial', 'mono-axial'],
    words: ['single', 'uniaxial', 'monoaxial', 'mono-axial'],
  },
  {
    key: 'needleType',
    asked: ['coaxial', 'coaxial needle', 'coaxial nozzle', 'co-axial', 'co-axial needle', 'co-axial nozzle'],
    words: ['coaxial', 'co-axial'],
  },
];

/** Whether a collector's or needle's type belongs to the category, if any, that a folded text asks for by RULES 1. */
export function isOfFirstCategory(key: TextKey, text: string, type: string): boolean {
  const kind = kinds.find((one) => one.key === key && one.asked.includes(text));
  return kind !== undefined && isOfKind(kind, type);
}
