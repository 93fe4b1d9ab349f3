import { z } from 'zod';

const LONGEST_TEXT = 1_000;

/** A text of a small body; the service behind knows what it must look like. */
export const shortText = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`);
