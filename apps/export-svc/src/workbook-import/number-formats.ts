import { unreadableFile } from './unreadable-file.ts';

/** What a number stands for where its cell has a number format. */
export type NumberMeaning = 'number' | 'date' | 'percent';

/** Excel writes no longer ones, and reports a workbook with one as damaged. */
const MAX_CODE_LENGTH = 255;

// ECMA-376 part 1, 18.8.30: the formats that every program knows.
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const BUILT_IN_PERCENT = [9, 10];

const DATE_LETTERS = 'ymdhs';
const ELAPSED_TIME = /^(?:h+|m+|s+)$/i;

/** What numbers of a built-in format are, by its id. */
export function meaningOfId(id: number): NumberMeaning {
  if (BUILT_IN_PERCENT.includes(id)) return 'percent';
  return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
}

/**
 * What numbers of a format of the workbook are, by its code; one pass over the code. Throws INVALID_REQUEST for a code
 * of more than 255 characters.
 */
export function meaningOfCode(code: string): NumberMeaning {
  if (code.length > MAX_CODE_LENGTH) {
    throw unreadableFile(
      `it has a number format of ${code.length} characters; at most ${MAX_CODE_LENGTH} are possible.`,
    );
  }
  const lastBracket = code.lastIndexOf(']');
  let isPercent = false;
  // Literal texts, escapes, paddings, colors and conditions say nothing; elapsed time does.
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
