import type { IncomingMessage } from 'node:http';

export function hasBody(request: IncomingMessage): boolean {
  return (request.headers['content-length'] ?? '0') !== '0' || request.headers['transfer-encoding'] !== undefined;
}
