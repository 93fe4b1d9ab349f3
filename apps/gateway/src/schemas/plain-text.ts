import { z } from 'zod';

/** Returns the schema of a trimmed text of `min` to `max` characters, without NUL, which no database stores. */
export function plainText(min: 0 | 1, max: number) {
  return z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((text) => !text.includes('\0'), 'must not contain null characters');
}
