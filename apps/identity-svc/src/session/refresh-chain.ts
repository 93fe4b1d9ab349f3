import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';
import { type OpaqueToken, opaqueToken } from '../opaque-token.ts';

/**
 * The refresh token that follows on the one of a browser. It is computed from that one, so that who sends it a second time can be
 * given the same successor although the database keeps hashes alone.
 */
export type RefreshChain = (refreshToken: string) => OpaqueToken;

/**
 * Makes the chain: HMAC-SHA256 (RFC 2104) with a key that HKDF (RFC 5869) derives from the key that signs session tokens. Who has
 * that one needs no refresh token, so the chain adds nothing to what it protects.
 */
export function refreshChain(sessionKey: KeyObject): RefreshChain {
  const { d } = sessionKey.export({ format: 'jwk' });
  if (d === undefined) throw new Error('the key of session tokens is not a private key');
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'esd refresh token chain', 32));
  return (refreshToken) => opaqueToken(createHmac('sha256', key).update(refreshToken).digest());
}
