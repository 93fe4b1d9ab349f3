import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** A refresh token, or the token in the link of a mail. */
export interface OpaqueToken {
  /** 256 random bits in base64url. The service stores only the hash. */
  token: string;
  /** The SHA-256 of the token, as stored. */
  hash: Buffer;
}

export function newOpaqueToken(): OpaqueToken {
  return opaqueToken(randomBytes(BYTES));
}

/** Returns the token of 32 unpredictable bytes. */
export function opaqueToken(bytes: Buffer): OpaqueToken {
  const token = bytes.toString('base64url');
  return { token, hash: sha256(token) };
}

/** Returns the SHA-256 of an opaque token, or undefined if its shape is wrong. */
export function opaqueTokenHash(token: string): Buffer | undefined {
  return SHAPE.test(token) ? sha256(token) : undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
