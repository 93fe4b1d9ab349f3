import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';

export function hasBody(request: IncomingMessage): boolean {
  return (request.headers['content-length'] ?? '0') !== '0' || request.headers['transfer-encoding'] !== undefined;
}

/** Lets a client that sent `Expect: 100-continue` send the body, after its headers were accepted. */
export function acceptBody(request: Request): void {
  if (request.headers.expect === undefined || !request.res) return;
  request.res.writeContinue();
  request.res.shouldKeepAlive = !/\bclose\b/i.test(request.headers.connection ?? '');
}
