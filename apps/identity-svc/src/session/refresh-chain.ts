import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { type OpaqueToken, opaqueToken } from '../opaque-token.ts';

/**
 * Derives the next refresh token of a browser, so that a repeated request gets the same one: the database has only
 * hashes.
 */
export type RefreshChain = (refreshToken: string) => OpaqueToken;

/**
 * HMAC-SHA256 (RFC 2104) with a key that HKDF (RFC 5869) derives from the signing key of session tokens. The holder of
 * that key needs no refresh token, so this adds no risk.
 */
export function refreshChain(sessionKey: KeyObject): RefreshChain {
  const { d } = sessionKey.export({ format: 'jwk' });
  if (d === undefined) throw new Error('the key of session tokens is not a private key');
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'esd refresh token chain', 32));
  return (refreshToken) => opaqueToken(createHmac('sha256', key).update(refreshToken).digest());
}
