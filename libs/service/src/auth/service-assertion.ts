import { createPrivateKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { PrivateKeySet } from '../config.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';

export const SERVICE_ASSERTION_TYPE = 'esd-service+jwt';

/** Returns the headers that authenticate this process to a target (see `IncomingCall`), cached for up to 30 s. */
export type ServiceAssertions = (target: string) => Readonly<Record<string, string>>;

export interface ServiceKeyConfig {
  ESD_SERVICE_PRIVATE_KEYS: PrivateKeySet;
}

const LIFETIME_SECONDS = 60;
const CACHE_MS = 30_000;

/** Creates the signer of service assertions: ES256, one target each. */
export function serviceAssertions(service: string, config: ServiceKeyConfig): ServiceAssertions {
  const [key] = config.ESD_SERVICE_PRIVATE_KEYS.keys;
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
  const cached = new Map<string, { headers: Readonly<Record<string, string>>; until: number }>();
  return (target) => {
    const now = Date.now();
    const known = cached.get(target);
    if (known && known.until > now) return known.headers;
    const assertion = jwt.sign({}, privateKey, {
      algorithm: 'ES256',
      keyid: key.kid,
      header: { alg: 'ES256', typ: SERVICE_ASSERTION_TYPE },
      issuer: service,
      audience: target,
      expiresIn: LIFETIME_SECONDS,
    });
    const headers = { [METADATA.serviceAssertion]: assertion };
    cached.set(target, { headers, until: now + CACHE_MS });
    return headers;
  };
}
