import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { PrivateKeySet } from '@esd/service/config';

export interface SigningKeys {
  /** The key that signs. */
  kid: string;
  privateKey: KeyObject;
  /** All keys that verify, by kid. */
  publicKeys: ReadonlyMap<string, KeyObject>;
}

/** A public key as others may have it. */
export interface PublicJwk {
  kid: string;
  x: string;
  y: string;
}

/** The public halves of a set, the one that signs first. */
export function publicKeySet({ keys }: PrivateKeySet): PublicJwk[] {
  return keys.map(({ kid, x, y }) => ({ kid, x, y }));
}

/** Opens the keys of a set once: the first signs, all verify. Throws when a key is not one. */
export function openSigningKeys({ keys }: PrivateKeySet): SigningKeys {
  const [first] = keys;
  if (!first) throw new Error('the key set is empty');
  return {
    kid: first.kid,
    privateKey: createPrivateKey({ key: { ...first }, format: 'jwk' }),
    publicKeys: new Map(
      keys.map(({ kty, crv, x, y, kid }) => [kid, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })]),
    ),
  };
}
