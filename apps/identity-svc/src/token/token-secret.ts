import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const TOKEN_PREFIX = 'esd_pat_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHOWN_RANDOM = 4;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export interface NewTokenSecret {
  /** The prefix, 40 random base62 characters (238 bits), and the checksum of both. Shown to the user only once. */
  secret: string;
  /** The SHA-256 of the secret, as stored. */
  hash: Buffer;
  prefix: string;
}

export function newTokenSecret(): NewTokenSecret {
  const body = TOKEN_PREFIX + randomBase62(RANDOM_LENGTH);
  const secret = body + checksum(body);
  return { secret, hash: sha256(secret), prefix: body.slice(0, TOKEN_PREFIX.length + SHOWN_RANDOM) };
}

/** Returns the SHA-256 of a secret, or undefined if its shape or checksum is wrong. */
export function tokenSecretHash(secret: string): Buffer | undefined {
  if (!SHAPE.test(secret)) return undefined;
  const body = secret.slice(0, -CHECKSUM_LENGTH);
  return secret === body + checksum(body) ? sha256(secret) : undefined;
}

/** Returns the CRC-32 (ISO 3309, as in zip) of a text as 6 base62 digits, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

function randomBase62(length: number): string {
  // Larger bytes would bias the result toward the first characters.
  const even = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < even && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
