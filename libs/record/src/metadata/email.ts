import { isPlainLine } from '../validate/plain-text.ts';

const MAX_EMAIL_LENGTH = 254;
const MAX_LOCAL_PART_LENGTH = 64;

/**
 * Returns whether a text has the form of one email address: a local part of at most 64 characters, `@`, and a domain of at
 * least two labels. It has at most 254 characters (RFC 5321 §4.5.3.1) and no quotes, spaces, separators or control
 * characters.
 */
export function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH || text.indexOf('@') > MAX_LOCAL_PART_LENGTH) return false;
  return isPlainLine(text) && /^[^\s@<>()[\]\\,;:"]+@(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}$/u.test(text);
}
