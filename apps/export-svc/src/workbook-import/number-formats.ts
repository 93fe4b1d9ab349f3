import { unreadableFile } from './unreadable-file.ts';

export type NumberMeaning = 'number' | 'date' | 'percent';

/** The maximum that Excel writes. It reports a workbook with a longer format code as damaged. */
const MAX_CODE_LENGTH = 255;

// The built-in formats of ECMA-376 part 1, 18.8.30.
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const BUILT_IN_PERCENT = [9, 10];

const DATE_LETTERS = 'ymdhs';
const ELAPSED_TIME = /^(?:h+|m+|s+)$/i;

export function meaningOfId(id: number): NumberMeaning {
  if (BUILT_IN_PERCENT.includes(id)) return 'percent';
  return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
}

/** Returns the meaning of a custom format code, in one pass. Throws INVALID_REQUEST beyond 255 characters. */
export function meaningOfCode(code: string): NumberMeaning {
  if (code.length > MAX_CODE_LENGTH) {
    throw unreadableFile(`it has a number format of ${code.length} characters; the limit is ${MAX_CODE_LENGTH}.`);
  }
  const lastBracket = code.lastIndexOf(']');
  let isPercent = false;
  // Skips literal texts, escapes, paddings, colors and conditions, but not elapsed time.
  for (let at = 0; at < code.length; at++) {
    const character = code.charAt(at).toLowerCase();
    if (character === '"') {
      const end = code.indexOf('"', at + 1);
      at = end < 0 ? code.length : end;
    } else if (character === '\\' || character === '_' || character === '*') at += 1;
    else if (character === '[' && at < lastBracket) {
      const end = code.indexOf(']', at);
      if (ELAPSED_TIME.test(code.slice(at + 1, end))) return 'date';
      at = end;
    } else if (DATE_LETTERS.includes(character)) return 'date';
    else if (character === '%') isPercent = true;
  }
  return isPercent ? 'percent' : 'number';
}
