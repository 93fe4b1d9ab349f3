import type { TextKey } from './filter-keys.ts';
import { fold } from '../reference/fold.ts';

export interface DeviceKind {
  readonly key: TextKey;
  /** Filter texts that select the kind, without a general last word (see `GENERAL`). */
  readonly texts: readonly string[];
  /** A device is of the kind if its type contains one of these words. */
  readonly words: readonly string[];
}

/** Last words of a filter text that name any device: "drum collector" means "drum". */
const GENERAL: Partial<Record<TextKey, readonly string[]>> = {
  collectorType: ['collector', 'collectors', 'target'],
  needleType: ['needle', 'needles', 'nozzle', 'nozzles', 'spinneret', 'spinnerets', 'capillary'],
};

const TURNING = ['rotating', 'rotary', 'rolling', 'spinning'];

function rotating(...names: readonly string[]): DeviceKind {
  const texts = names.flatMap((name) => [name, ...TURNING.map((turning) => `${turning} ${name}`)]);
  return { key: 'collectorType', texts, words: names };
}

/**
 * Kinds and categories of collectors and needles, as the electrospinning literature commonly uses these words. A
 * category matches all its kinds, and a kind matches all its spellings.
 */
const deviceKinds: readonly DeviceKind[] = [
  {
    key: 'collectorType',
    texts: ['rotating', 'rotary'],
    words: ['rotating', 'rotary', 'rolling', 'drum', 'mandrel', 'disk', 'disc'],
  },
  rotating('drum'),
  rotating('disk', 'disc'),
  rotating('mandrel'),
  { key: 'collectorType', texts: ['flat', 'flat plate', 'planar'], words: ['flat', 'planar'] },
  {
    key: 'needleType',
    texts: ['single', 'uniaxial', 'monoaxial', 'mono axial'],
    words: ['single', 'uniaxial', 'monoaxial', 'mono-axial'],
  },
  { key: 'needleType', texts: ['coaxial', 'co axial'], words: ['coaxial', 'co-axial'] },
];

function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Separates and surrounds words with single spaces, so that `includes` finds whole words. */
const spaced = (text: string): string => ` ${wordsOf(text).join(' ')} `;

export function deviceKindOf(key: TextKey, text: string): DeviceKind | undefined {
  const words = wordsOf(text);
  const general = GENERAL[key] ?? [];
  while (words.length > 1 && general.includes(words.at(-1) ?? '')) words.pop();
  const name = words.join(' ');
  const singular = name.replace(/s$/, '');
  return deviceKinds.find((kind) => kind.key === key && (kind.texts.includes(name) || kind.texts.includes(singular)));
}

/** Returns whether a collector or needle type contains a word of the kind, singular or plural. */
export function isOfKind({ words }: Pick<DeviceKind, 'words'>, type: string): boolean {
  const text = spaced(type);
  return words.some((word) => text.includes(spaced(word)) || text.includes(spaced(`${word}s`)));
}
