import type { IncomingMessage } from 'node:http';

/** Returns whether a request announces content. */
export function hasBody(request: IncomingMessage): boolean {
  return (request.headers['content-length'] ?? '0') !== '0' || request.headers['transfer-encoding'] !== undefined;
}
