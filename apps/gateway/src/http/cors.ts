import corsOf from 'cors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { type RawHeaders, setHeaders } from './raw-headers.ts';

const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  DATASET_REVISION,
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];
const PREFLIGHT_SECONDS = 600;
// These paths read cookies, so pages of other origins have no access.
const OWN_PAGES_ONLY = /^\/session(\/|$)/;

// These paths take no credentials, and their requests change nothing.
const FOR_ALL_PAGES = '/mcp';

// Pages of any origin may read, so a stored response needs no `Vary: Origin`.
const READS: RawHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED.join(',')];

/**
 * Allows pages of any origin to read, and pages of `writers` to write, with credentials in headers, never in cookies.
 * Sets headers only and does not answer preflight requests. `/session` gets none of these headers.
 */
export function cors(writers: string[]): (path: string, request: IncomingMessage, response: ServerResponse) => void {
  const others = corsOf<IncomingMessage>((request, answer) => {
    const method = preflightMethod(request) ?? request.method;
    answer(null, {
      origin: method === 'GET' || method === 'HEAD' ? '*' : writers,
      preflightContinue: true,
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    });
  });
  const all = corsOf<IncomingMessage>({
    origin: '*',
    preflightContinue: true,
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  });
  return (path, request, response) => {
    if (OWN_PAGES_ONLY.test(path)) return;
    if (path === FOR_ALL_PAGES) {
      all(request, response, () => undefined);
      return;
    }
    if (request.method === 'GET' || request.method === 'HEAD') setHeaders(response, READS);
    else others(request, response, () => undefined);
  };
}

/** Returns the method that a preflight request asks for; undefined for other requests. */
export function preflightMethod(request: IncomingMessage): string | undefined {
  return request.method === 'OPTIONS' ? request.headers['access-control-request-method'] : undefined;
}
