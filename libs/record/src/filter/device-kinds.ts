import type { TextKey } from './filter-keys.ts';
import { fold } from '../reference/reference.ts';

/** A kind of collector or needle, or a category of several kinds. */
export interface DeviceKind {
  readonly key: TextKey;
  /** What asks for it, apart from a general word at the end (see `GENERAL`). */
  readonly asked: readonly string[];
  /** Words, one of which a collector or needle of the kind has in its type. */
  readonly words: readonly string[];
}

/** Words at the end of a question that name the device and no kind of it: "drum collector" is "drum". */
const GENERAL: Partial<Record<TextKey, readonly string[]>> = {
  collectorType: ['collector', 'collectors', 'target'],
  needleType: ['needle', 'needles', 'nozzle', 'nozzles', 'spinneret', 'spinnerets', 'capillary'],
};

const TURNING = ['rotating', 'rotary', 'rolling', 'spinning'];

/** A kind of rotating collector by its names, which may stand behind a word for its turning. */
function rotating(...names: readonly string[]): DeviceKind {
  const asked = names.flatMap((name) => [name, ...TURNING.map((turning) => `${turning} ${name}`)]);
  return { key: 'collectorType', asked, words: names };
}

/**
 * Kinds and categories of collectors and needles, as the electrospinning literature commonly uses these words. Asking for a
 * category finds all its kinds; asking for a kind finds it in all its spellings.
 */
const deviceKinds: readonly DeviceKind[] = [
  {
    key: 'collectorType',
    asked: ['rotating', 'rotary'],
    words: ['rotating', 'rotary', 'rolling', 'drum', 'mandrel', 'disk', 'disc'],
  },
  rotating('drum'),
  rotating('disk', 'disc'),
  rotating('mandrel'),
  { key: 'collectorType', asked: ['flat', 'flat plate', 'planar'], words: ['flat', 'planar'] },
  {
    key: 'needleType',
    asked: ['single', 'uniaxial', 'monoaxial', 'mono axial'],
    words: ['single', 'uniaxial', 'monoaxial', 'mono-axial'],
  },
  { key: 'needleType', asked: ['coaxial', 'co axial'], words: ['coaxial', 'co-axial'] },
];

/** The words of a text: folded, in letters and digits alone. */
function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Words with one space between them and around, so that whole words can be looked for. */
const spaced = (text: string): string => ` ${wordsOf(text).join(' ')} `;

/** The kind or category that a text asks for. */
export function deviceKindOf(key: TextKey, text: string): DeviceKind | undefined {
  const words = wordsOf(text);
  const general = GENERAL[key] ?? [];
  while (words.length > 1 && general.includes(words.at(-1) ?? '')) words.pop();
  const asked = words.join(' ');
  const singular = asked.replace(/s$/, '');
  return deviceKinds.find((kind) => kind.key === key && (kind.asked.includes(asked) || kind.asked.includes(singular)));
}

/** Whether a collector's or needle's type is of a kind: has one of its words, in the singular or plural. */
export function isOfKind({ words }: Pick<DeviceKind, 'words'>, type: string): boolean {
  const text = spaced(type);
  return words.some((word) => text.includes(spaced(word)) || text.includes(spaced(`${word}s`)));
}
