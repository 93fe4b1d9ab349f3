import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** A refresh token, or the token in the link of a mail. */
export interface OpaqueToken {
  /** Shown once: 256 random bits in base64url. */
  token: string;
  /** SHA-256, as stored. */
  hash: Buffer;
}

export function newOpaqueToken(): OpaqueToken {
  return opaqueToken(randomBytes(BYTES));
}

/** `bytes`: 32 unpredictable bytes. */
export function opaqueToken(bytes: Buffer): OpaqueToken {
  const token = bytes.toString('base64url');
  return { token, hash: sha256(token) };
}

/** Returns the SHA-256 of an opaque token; undefined for a text with a wrong shape. */
export function opaqueTokenHash(token: string): Buffer | undefined {
  return SHAPE.test(token) ? sha256(token) : undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
