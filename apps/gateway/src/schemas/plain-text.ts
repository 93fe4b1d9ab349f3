import { z } from 'zod';

/** A text of `min` to `max` characters, trimmed. It has no NUL character, which no store takes. */
export function plainText(min: 0 | 1, max: number) {
  return z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain null characters');
}
