import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** Names of the metadata that travel with every call between the services. */
export const METADATA = {
  requestId: 'x-request-id',
  assertion: 'x-esd-assertion',
  /** The address of the client that the gateway answers. */
  clientIp: 'x-esd-client-ip',
  service: 'x-esd-service',
  serviceToken: 'x-esd-service-token',
  /** On byte paths: the newest state that the gateway has seen, `<dataset id>.<revision>`. */
  stateSeen: 'x-esd-state-seen',
} as const;

/** The first text value of a metadata key, undefined when it is not there. */
export function metadataText(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

/** The name of the process that calls, undefined when it did not prove itself with its token. */
export function provenPeer(
  name: string | undefined,
  token: string | undefined,
  peers: ReadonlyMap<string, string>,
): string | undefined {
  if (!name || !token) return undefined;
  const expected = peers.get(name);
  if (!expected) return undefined;
  const presented = createHash('sha256').update(token).digest();
  return timingSafeEqual(presented, Buffer.from(expected, 'hex')) ? name : undefined;
}
