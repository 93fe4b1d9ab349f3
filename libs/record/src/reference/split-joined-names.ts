import { findEntry, isJoined, type ListName, type References, resolveName } from './reference.ts';
import { depthStep } from './second-name.ts';

/** A text with more parts counts as one name. */
const MAX_PARTS = 40;
/** Exceeds the parts of every name. */
const MAX_PARTS_OF_NAME = 12;

/** A split of the end of a text into known names. */
interface Way {
  readonly names: readonly string[];
  /** Another split has equally few names. */
  readonly isAmbiguous: boolean;
}

/**
 * Splits the names in a cell of `polymer(s)` or `solvent(s)`. They are joined with `-`, which names may also contain.
 * Returns the fewest known names that make up the text. Without such a split, cuts at each `-` if a part is known;
 * otherwise returns the whole text. Never splits inside brackets.
 *
 * @param isBlend whether there are several names, if known
 * @param separator a pattern with the flag `g`
 * @param isKnown whether a part is a name
 * @returns undefined if several splits are equally short
 */
export function splitJoinedNames(
  text: string,
  list: ListName,
  references: References,
  isBlend: boolean | undefined,
  separator = /-/g,
  isKnown = (name: string): boolean => findEntry(references, list, name) !== undefined,
): readonly string[] | undefined {
  let depth = 0;
  const depths = text.split('').map((character) => (depth = Math.max(0, depth + depthStep(character))));
  const separators = [...text.matchAll(separator)].filter(({ index }) => depths[index] === 0);
  const starts = [0, ...separators.map(({ index, 0: { length } }) => index + length)];
  const ends = [...separators.map(({ index }) => index), text.length];
  const parts = starts.map((start, at) => text.slice(start, ends[at]));
  if (parts.length === 1 || parts.length > MAX_PARTS || isBlend === false) return [text];
  const whole = resolveName(references, list, text);
  if (whole.kind === 'ambiguous' && !isJoined(whole)) return [text];
  const ways: (Way | undefined)[] = [...parts.map(() => undefined), { names: [], isAmbiguous: false }];
  for (let from = parts.length - 1; from >= 0; from--) {
    for (let to = from + 1; to <= Math.min(parts.length, from + MAX_PARTS_OF_NAME); to++) {
      const rest = ways[to];
      const name = text.slice(starts[from], ends[to - 1]);
      const isWhole = from === 0 && to === parts.length;
      if (rest === undefined || (isWhole && isBlend === true) || !isKnown(name)) continue;
      const best = ways[from];
      const length = rest.names.length + 1;
      if (best === undefined || length < best.names.length) {
        ways[from] = { names: [name, ...rest.names], isAmbiguous: rest.isAmbiguous };
      } else if (length === best.names.length) ways[from] = { ...best, isAmbiguous: true };
    }
  }
  const [way] = ways;
  if (way !== undefined) return way.isAmbiguous ? undefined : way.names;
  return parts.some(isKnown) ? parts : [text];
}

/** A longer text is one label. */
const MAX_LABELS_LENGTH = 200;
const LABEL_SEPARATOR = / ?(?:[/+&,;]|(?<= )(?:and|und)(?= )) ?/g;

/** Returns the labels in a cell as written; the whole text is one label if the list has it. */
export function labelsIn(
  text: string,
  list: 'morphologies' | 'instabilities',
  references: References,
): readonly string[] {
  if (text.length > MAX_LABELS_LENGTH || resolveName(references, list, text).kind !== 'unknown') return [text];
  const parts = splitJoinedNames(text, list, references, undefined, LABEL_SEPARATOR) ?? [text];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
