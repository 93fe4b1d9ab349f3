import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { normalizePassword } from './password.ts';

const LONGEST_EMAIL = 320;
const LONGEST_NAME = 200;
const SHORTEST_PASSWORD = 10;
const LONGEST_PASSWORD = 128;

// A dot-string of RFC 5321 (with the letters of RFC 6531) and a domain. Specials are left out, so that an address
// can be read in one way only when it stands in a mail header.
const EMAIL = /^[^\s\p{C}@<>()[\]\\,;:"]+@[^\s\p{C}@<>()[\]\\,;:".]+(\.[^\s\p{C}@<>()[\]\\,;:".]+)*$/u;

/** An e-mail address, trimmed. */
export const emailInput = z
  .string()
  .trim()
  .max(LONGEST_EMAIL, {
    error: `The e-mail address may have at most ${LONGEST_EMAIL} characters.`,
    abort: true,
  })
  .regex(EMAIL, {
    error: (issue) => `${JSON.stringify(issue.input)} is not an e-mail address such as name@example.org.`,
  });

/** A name that people read, trimmed. */
export const nameInput = z
  .string()
  .trim()
  .min(1, { error: 'The name may not be empty.' })
  .max(LONGEST_NAME, { error: `The name may have at most ${LONGEST_NAME} characters.` })
  .regex(/^\P{Cc}*$/u, { error: 'The name may not hold control characters.' });

/** A password that is to be set, as typed; its length counts after normalization. */
export const newPasswordInput = z.string().refine(
  (password) => {
    const { length } = [...normalizePassword(password)];
    return length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD;
  },
  { error: `The password has to have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.` },
);

/** The text by which an address is unique: composed letters (NFC), lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** The checked input; throws INVALID_REQUEST that names every problem. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ServiceError('INVALID_REQUEST', result.error.issues.map((issue) => issue.message).join(' '));
}
