import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** How every personal access token begins. */
export const TOKEN_PREFIX = 'esd_pat_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHOWN_RANDOM = 4;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export interface NewTokenSecret {
  /** What the owner gets, once: the prefix, 40 random base62 characters (238 bits), and their checksum. */
  secret: string;
  /** What is kept: SHA-256. */
  hash: Buffer;
  /** How the secret begins, to recognize it by. */
  prefix: string;
}

export function newTokenSecret(): NewTokenSecret {
  const body = TOKEN_PREFIX + randomBase62(RANDOM_LENGTH);
  const secret = body + checksum(body);
  return { secret, hash: sha256(secret), prefix: body.slice(0, TOKEN_PREFIX.length + SHOWN_RANDOM) };
}

/** SHA-256 of a token; undefined for a text that cannot be one, as its shape or its checksum tells. */
export function tokenSecretHash(secret: string): Buffer | undefined {
  if (!SHAPE.test(secret)) return undefined;
  const body = secret.slice(0, -CHECKSUM_LENGTH);
  return secret === body + checksum(body) ? sha256(secret) : undefined;
}

/** CRC-32 (ISO 3309, as in zip) of the text in 6 base62 digits, the most significant first. */
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
  // Bytes from here on would make the first characters more likely than the others.
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
