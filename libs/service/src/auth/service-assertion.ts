import { createPrivateKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { PrivateKeySet } from '../config.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';
import type { Peer } from './peers.ts';

/** The fixed name that distinguishes a service assertion from other signed tokens. */
export const SERVICE_ASSERTION_TYPE = 'esd-service+jwt';

/** The headers with which a process proves itself to a target (see `Target`); the same ones for up to 30 s. */
export type ServiceAssertions = (target: string) => Readonly<Record<string, string>>;

/** The settings that it takes. */
export interface ServiceKeyConfig {
  ESD_SERVICE_PRIVATE_KEYS?: PrivateKeySet | undefined;
  ESD_SERVICE_TOKEN: string;
  ESD_STRICT_PEERS: 'on' | 'off';
}

const LIFETIME_SECONDS = 60;
const KEPT_MS = 30_000;

/**
 * Makes the proof of a process: an ES256 assertion of who it is, made for one target, and, unless ESD_STRICT_PEERS is on,
 * the service token of the former release beside it. Throws an Error when the settings hold neither.
 */
export function serviceAssertions(service: Peer, config: ServiceKeyConfig): ServiceAssertions {
  const isStrict = config.ESD_STRICT_PEERS === 'on';
  const key = config.ESD_SERVICE_PRIVATE_KEYS?.keys[0];
  if (!key && (isStrict || config.ESD_SERVICE_TOKEN === '')) {
    throw new Error('configuration: ESD_SERVICE_PRIVATE_KEYS: is missing');
  }
  const former: Readonly<Record<string, string>> =
    isStrict || config.ESD_SERVICE_TOKEN === ''
      ? {}
      : { [METADATA.service]: service, [METADATA.serviceToken]: config.ESD_SERVICE_TOKEN };
  if (!key) return () => former;
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
    const headers = { ...former, [METADATA.serviceAssertion]: assertion };
    // As many as there are targets in the table.
    kept.set(target, { headers, until: now + KEPT_MS });
    return headers;
  };
}
