/** The joint of a name and a second name or a detail. A hyphen is a dash without a space, as in chemical names. */
export type Joint = 'bracket' | 'comma' | 'dash' | 'hyphen' | 'space';

/** A key in two parts, neither of which is empty. */
type SplitKey = readonly [first: string, second: string, joint: Joint];

/** Limits the time for a hostile text. */
const MAX_SPLITS = 12;

/** Splits a key at the bracket that ends it: `pcl (polycaprolactone)`. */
export function splitBracket(key: string): SplitKey[] {
  if (!/[)\]]$/.test(key)) return [];
  let depth = 0;
  for (let at = key.length - 1; at > 0; at -= 1) {
    depth += depthStep(key.charAt(at));
    if (depth === 0) return splitAt(key.slice(0, -1), at, 'bracket');
  }
  return [];
}

/** Splits a key at its last bracket, at commas, at dashes, and at spaces, there with the longest first part first. */
export function splitsOf(key: string): SplitKey[] {
  const commas: SplitKey[] = [];
  const dashes: SplitKey[] = [];
  const spaces: SplitKey[] = [];
  let depth = 0;
  for (let at = 0, count = 0; at < key.length && count < MAX_SPLITS; at += 1) {
    const mark = key.charAt(at);
    depth += depthStep(mark);
    if (depth > 0 || !/[, -]/.test(mark)) continue;
    count += 1;
    const isTight = !key.slice(at - 1, at + 2).includes(' ');
    if (mark === ',') commas.push(...splitAt(key, at, 'comma'));
    else if (mark === '-') dashes.push(...splitAt(key, at, isTight ? 'hyphen' : 'dash'));
    else spaces.unshift(...splitAt(key, at, 'space'));
  }
  return [...splitBracket(key), ...commas, ...dashes, ...spaces];
}

/** Returns how a character changes the number of open brackets. */
export function depthStep(character: string): number {
  if (character === '(' || character === '[') return 1;
  return character === ')' || character === ']' ? -1 : 0;
}

function splitAt(key: string, at: number, joint: Joint): SplitKey[] {
  const [first, second] = [key.slice(0, at).trim(), key.slice(at + 1).trim()];
  return first === '' || second === '' ? [] : [[first, second, joint]];
}
