import type { Metadata } from '@grpc/grpc-js';

/** Names of the metadata that travel with every call between the services. */
export const METADATA = {
  requestId: 'x-request-id',
  assertion: 'x-esd-assertion',
  /** The address of the client that the gateway answers. */
  clientIp: 'x-esd-client-ip',
  /** The assertion with which the calling process proves itself. */
  serviceAssertion: 'x-esd-service-assertion',
  /** On internal HTTP endpoints: what is asked for, a message in base64url. */
  streamRequest: 'x-esd-stream-request',
} as const;

/** The first text value of a metadata key, undefined when it is not there. */
export function metadataText(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}
