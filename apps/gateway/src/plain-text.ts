import { z } from 'zod';

/** A text of `least` to `most` characters, trimmed. It holds no NUL, which no store takes. */
export function plainText(least: 0 | 1, most: number) {
  return z
    .string()
    .trim()
    .min(least, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain a NUL');
}
