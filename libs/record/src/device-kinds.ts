import type { TextKey } from './filter-keys.ts';
import { fold } from './reference.ts';

/** A word of the field for several kinds of one device. */
export interface DeviceKind {
  readonly key: TextKey;
  /** Texts that ask for the category. */
  readonly asked: readonly string[];
  /** Words, one of which a collector or needle of the category has in its type. */
  readonly words: readonly string[];
}

/**
 * Categories of collectors and needles, as the electrospinning literature commonly uses these words. Asking for a
 * category finds all its kinds; asking for a kind finds that word.
 */
export const deviceKinds: readonly DeviceKind[] = [
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

/** Words of a text with one space between them and around, so that whole words can be looked for. */
const spaced = (text: string): string =>
  ` ${fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** The category that a folded text asks for. */
export function askedKind(key: TextKey, text: string): DeviceKind | undefined {
  return deviceKinds.find((kind) => kind.key === key && kind.asked.includes(text));
}

/** Whether a collector's or needle's type belongs to a category: has one of its words, in the singular or plural. */
export function isOfKind({ words }: DeviceKind, type: string): boolean {
  const text = spaced(type);
  return words.some((word) => text.includes(spaced(word)) || text.includes(spaced(`${word}s`)));
}
