import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { type OpaqueToken, opaqueToken } from '../opaque-token.ts';

/**
 * Derives the next refresh token of a browser from the current one. With it, a repeated request returns the same token,
 * although the database stores only hashes.
 */
export type RefreshChain = (refreshToken: string) => OpaqueToken;

/**
 * Returns a chain by HMAC-SHA256 (RFC 2104). HKDF (RFC 5869) derives its key from the signing key of session tokens.
 * The holder of the signing key does not need refresh tokens, so the derivation adds no risk.
 */
export function refreshChain(sessionKey: KeyObject): RefreshChain {
  const { d } = sessionKey.export({ format: 'jwk' });
  if (d === undefined) throw new Error('the key of session tokens is not a private key');
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'esd refresh token chain', 32));
  return (refreshToken) => opaqueToken(createHmac('sha256', key).update(refreshToken).digest());
}
