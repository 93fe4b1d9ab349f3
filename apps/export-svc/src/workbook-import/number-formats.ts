/** What a number stands for where its cell has a number format. */
export type NumberMeaning = 'number' | 'date' | 'percent';

// ECMA-376 part 1, 18.8.30: the formats that every program knows.
const BUILT_IN_DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const BUILT_IN_PERCENT = [9, 10];

/** What numbers of a format are, by its id and, where it is not a built-in one, its code. */
export function meaningOf(id: number, code: string | undefined): NumberMeaning {
  if (code === undefined) {
    if (BUILT_IN_PERCENT.includes(id)) return 'percent';
    return BUILT_IN_DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
  }
  // Literal texts, escapes, paddings, colors and conditions say nothing; elapsed time stays.
  const plain = code.replace(/"[^"]*"?|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').replace(/general/gi, '');
  if (/[ymdhs]/i.test(plain)) return 'date';
  return plain.includes('%') ? 'percent' : 'number';
}
