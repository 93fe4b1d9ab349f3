import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';

export interface SigningKey {
  publicSet: string;
  privateSet: string;
}

/** Creates a P-256 private key for ES256, as PKCS #8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

/** Returns the JWK sets of a private key in PEM. The key id is the thumbprint (RFC 7638), with the prefix `owner:` if given. */
export function signingKeySets(pem: string, owner?: string): SigningKey {
  const { kty, crv, x, y, d } = createPrivateKey(pem).export({ format: 'jwk' });
  // RFC 7638: only the required members, in lexicographic order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const kid = owner === undefined ? thumbprint : `${owner}:${thumbprint}`;
  const publicKey = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' };
  return {
    publicSet: JSON.stringify({ keys: [publicKey] }),
    privateSet: JSON.stringify({ keys: [{ ...publicKey, d }] }),
  };
}

/** Returns the public keys of sets of P-256 private keys as one JWK set. Throws a SyntaxError or TypeError if a set is invalid. */
export function publicSetOf(...privateSets: string[]): string {
  const keys = privateSets.flatMap((set) => {
    const { keys } = JSON.parse(set) as { keys: Record<string, unknown>[] }; // Any other shape throws below.
    return keys.map(({ d: _, ...rest }) => rest);
  });
  return JSON.stringify({ keys });
}
