import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';

/** A key pair as two JWK sets (JSON text): the public one for those who verify, the private one for the one who signs. */
export interface SigningKey {
  publicSet: string;
  privateSet: string;
}

/** A new P-256 private key for ES256, as PKCS #8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/** The JWK sets of a private key in PEM; the key's id is its thumbprint (RFC 7638). */
export function signingKeySets(pem: string): SigningKey {
  const { kty, crv, x, y, d } = createPrivateKey(pem).export({ format: 'jwk' });
  // RFC 7638: the required members alone, in the order of their names.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const publicKey = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
  return {
    publicSet: JSON.stringify({ keys: [publicKey] }),
    privateSet: JSON.stringify({ keys: [{ ...publicKey, d }] }),
  };
}
