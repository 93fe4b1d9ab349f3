import { dictionary } from '@zxcvbn-ts/language-common';
import { z } from 'zod';
import { normalizeOrcid } from '@esd/record/metadata/orcid';
import { isPlainLine } from '@esd/record/validate/plain-text';
import { ServiceError } from '@esd/service/errors';
import { normalizePassword } from './password.ts';

const MAX_NAME_LENGTH = 200;
const SHORTEST_PASSWORD = 10;
const MAX_PASSWORD_LENGTH = 128;
const COMMON_PASSWORDS = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));

export const nameInput = z
  .string()
  .trim()
  .min(1, { error: 'The name must not be empty.' })
  .max(MAX_NAME_LENGTH, { error: `The name must have at most ${MAX_NAME_LENGTH} characters.` })
  .refine(isPlainLine, { error: 'The name must not contain control characters.' });

/** An ORCID iD, parsed to its digits with hyphens; an empty text becomes null. */
export const orcidInput = z.string().transform((text, context): string | null => {
  if (text.trim() === '') return null;
  const orcid = normalizeOrcid(text);
  if (orcid !== undefined) return orcid;
  const shown = JSON.stringify(text.slice(0, 100));
  context.addIssue({
    code: 'custom',
    message: `${shown} is not a valid ORCID iD such as 0000-0002-1825-0097; check its digits.`,
  });
  return z.NEVER;
});

/** A new password, unchanged. Its length is checked after normalization. */
export const newPasswordInput = z
  .string()
  .refine(
    (password) => {
      const { length } = [...normalizePassword(password)];
      return length >= SHORTEST_PASSWORD && length <= MAX_PASSWORD_LENGTH;
    },
    { error: `The password must have ${SHORTEST_PASSWORD} to ${MAX_PASSWORD_LENGTH} characters.`, abort: true },
  )
  .refine((password) => !COMMON_PASSWORDS.has(normalizePassword(password).toLowerCase()), {
    error: 'The password is too common and easy to guess; choose another one.',
  });

/** Parses an input. Throws INVALID_REQUEST with all problems. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ServiceError('INVALID_REQUEST', result.error.issues.map((issue) => issue.message).join(' '));
}
