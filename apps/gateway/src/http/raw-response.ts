import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { errorResponse } from '@esd/service/http/error-body';
import type { ServiceError } from '@esd/service/errors';

/** Returns the text of an error response for a connection without a parsed request. It closes the connection. */
export function rawResponse(error: ServiceError): string {
  const requestId = randomUUID();
  const { status, headers, body } = errorResponse(error, requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`;
}
