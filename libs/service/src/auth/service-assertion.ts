import { createPrivateKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { PrivateKeySet } from '../config.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';

/** The fixed name that distinguishes a service assertion from other signed tokens. */
export const SERVICE_ASSERTION_TYPE = 'esd-service+jwt';

/** The headers with which a process proves itself to a target (see `ArrivingCall`); the same ones for up to 30 s. */
export type ServiceAssertions = (target: string) => Readonly<Record<string, string>>;

/** The settings that it takes. */
export interface ServiceKeyConfig {
  ESD_SERVICE_PRIVATE_KEYS: PrivateKeySet;
}

const LIFETIME_SECONDS = 60;
const KEPT_MS = 30_000;

/** Makes the proof of a process: an ES256 assertion of its name, made for one target. Throws an Error if the set has no key. */
export function serviceAssertions(service: string, config: ServiceKeyConfig): ServiceAssertions {
  const [key] = config.ESD_SERVICE_PRIVATE_KEYS.keys;
  if (!key) throw new Error('configuration: ESD_SERVICE_PRIVATE_KEYS: has no key');
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' });
  const kept = new Map<string, { headers: Readonly<Record<string, string>>; until: number }>();
  return (target) => {
    const now = Date.now();
    const known = kept.get(target);
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
    // As many as there are targets.
    kept.set(target, { headers, until: now + KEPT_MS });
    return headers;
  };
}
