import { createHash, randomInt } from 'node:crypto';

// Crockford's base32, which omits letters that look like digits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = 4;

/** Returns 80 random bits as 16 characters in hyphenated groups. */
export function newRecoveryCode(): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return characters.match(new RegExp(`.{${GROUP}}`, 'g'))?.join('-') ?? characters;
}

/** Returns the SHA-256 of a recovery code. Ignores case, hyphens and spaces. */
export function recoveryCodeHash(code: string): Buffer {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest();
}
