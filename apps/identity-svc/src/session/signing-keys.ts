import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { PrivateKeySet } from '@esd/service/config';

export interface SigningKeys {
  kid: string;
  privateKey: KeyObject;
  publicKeys: ReadonlyMap<string, KeyObject>;
}

export interface PublicJwk {
  kid: string;
  x: string;
  y: string;
}

/** Returns the public keys, with the signing key first. */
export function publicKeySet({ keys }: PrivateKeySet): PublicJwk[] {
  return keys.map(({ kid, x, y }) => ({ kid, x, y }));
}

/** Opens a key set, of which the first key signs and all keys verify. */
export function openSigningKeys({ keys }: PrivateKeySet): SigningKeys {
  const [first] = keys;
  return {
    kid: first.kid,
    privateKey: createPrivateKey({ key: { ...first }, format: 'jwk' }),
    publicKeys: new Map(
      keys.map(({ kty, crv, x, y, kid }) => [kid, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })]),
    ),
  };
}
