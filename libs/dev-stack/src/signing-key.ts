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

/** The JWK sets of a private key in PEM; the key's id is its thumbprint (RFC 7638), behind the name of its `owner` if it has one. */
export function signingKeySets(pem: string, owner?: string): SigningKey {
  const { kty, crv, x, y, d } = createPrivateKey(pem).export({ format: 'jwk' });
  // RFC 7638: the required members alone, in the order of their names.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const kid = owner === undefined ? thumbprint : `${owner}:${thumbprint}`;
  const publicKey = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
  return {
    publicSet: JSON.stringify({ keys: [publicKey] }),
    privateSet: JSON.stringify({ keys: [{ ...publicKey, d }] }),
  };
}

/** The public half of JWK sets of P-256 private keys, all of their keys, as one set. Throws a SyntaxError or TypeError when one is none. */
export function publicSetOf(...privateSets: string[]): string {
  const keys = privateSets.flatMap((set) => {
    const { keys } = JSON.parse(set) as { keys: Record<string, unknown>[] }; // Whatever else it is throws below.
    return keys.map(({ d: _, ...rest }) => rest);
  });
  return JSON.stringify({ keys });
}
