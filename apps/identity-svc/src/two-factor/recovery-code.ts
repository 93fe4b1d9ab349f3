import { createHash, randomInt } from 'node:crypto';

// Crockford's base32, in which no two characters look alike.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = 4;

/** A code of 80 random bits, in groups by hyphen. */
export function newRecoveryCode(): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return characters.match(new RegExp(`.{${GROUP}}`, 'g'))?.join('-') ?? characters;
}

/** SHA-256 of a recovery code as a person types it: in any case, with or without hyphens and spaces. */
export function recoveryCodeHash(code: string): Buffer {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest();
}
