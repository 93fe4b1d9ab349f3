import { isPlainText, trimmedText } from '@esd/record/validate/plain-text';
import { z } from 'zod';

/** Returns the schema of a trimmed text of `min` to `max` characters, without the characters that no text may have. */
export function plainText(min: 0 | 1, max: number) {
  return z.string().overwrite(trimmedText).min(min).max(max).refine(isPlainText, 'must not contain control characters');
}
