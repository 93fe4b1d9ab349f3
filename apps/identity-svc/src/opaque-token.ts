import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** A secret that means nothing by itself: a refresh token, or the token in the link of a mail. */
export interface OpaqueToken {
  /** What is handed out, once: 256 random bits in base64url. */
  token: string;
  /** What is kept. */
  hash: Buffer;
}

export function newOpaqueToken(): OpaqueToken {
  return opaqueToken(randomBytes(BYTES));
}

/** The opaque token of 32 bytes that nobody can guess. */
export function opaqueToken(bytes: Buffer): OpaqueToken {
  const token = bytes.toString('base64url');
  return { token, hash: sha256(token) };
}

/** SHA-256 of an opaque token; undefined for a text that can't be one. */
export function opaqueTokenHash(token: string): Buffer | undefined {
  return SHAPE.test(token) ? sha256(token) : undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
