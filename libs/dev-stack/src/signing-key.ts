import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';

export interface SigningKey {
  publicSet: string;
  privateSet: string;
}

/** Creates a P-256 private key for ES256, as PKCS #8 PEM after a line with the time. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return `Created: ${new Date().toISOString()}\n${privateKey}`;
}

const PEM = /(?:Created: (\S+)\n)?-----BEGIN[^]*?-----END[^-]*-----\n?/g;

/** Returns the texts of concatenated private keys, as `newSigningKey` creates them. */
export function splitSigningKeys(pems: string): string[] {
  return [...pems.matchAll(PEM)].map(([pem]) => pem);
}

/**
 * Returns the JWK sets of one or more private keys in PEM; the first signs. A key id is the thumbprint (RFC 7638), with the
 * prefix `owner:` if given. The member `iat` is the time of creation in seconds since 1970, if it is known.
 */
export function signingKeySets(pems: string, owner?: string): SigningKey {
  const keys = splitSigningKeys(pems).map((pem) => jwkOf(pem, owner));
  const privateSet = JSON.stringify({ keys });
  return { publicSet: publicSetOf(privateSet), privateSet };
}

function jwkOf(pem: string, owner: string | undefined) {
  const { kty, crv, x, y, d } = createPrivateKey(pem).export({ format: 'jwk' });
  const [, created] = [...pem.matchAll(PEM)][0] ?? [];
  // RFC 7638: only the required members, in lexicographic order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const kid = owner === undefined ? thumbprint : `${owner}:${thumbprint}`;
  const iat = created === undefined ? {} : { iat: Math.floor(Date.parse(created) / 1000) };
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig', ...iat, d };
}

/** Returns the public keys of sets of P-256 private keys as one JWK set. Throws a SyntaxError or TypeError if a set is invalid. */
export function publicSetOf(...privateSets: string[]): string {
  const keys = privateSets.flatMap((set) => {
    const { keys } = JSON.parse(set) as { keys: Record<string, unknown>[] }; // Any other shape throws below.
    return keys.map(({ d: _, ...rest }) => rest);
  });
  return JSON.stringify({ keys });
}
