import type { Metadata } from '@grpc/grpc-js';

export const METADATA = {
  requestId: 'x-request-id',
  assertion: 'x-esd-assertion',
  /** The IP address of the gateway's client. */
  clientIp: 'x-esd-client-ip',
  serviceAssertion: 'x-esd-service-assertion',
  /** Internal HTTP endpoints only: the request message in base64url. */
  streamRequest: 'x-esd-stream-request',
} as const;

/** Returns the first text value of a metadata key. */
export function metadataText(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}
