import corsOf from 'cors';
import type { Request, Response } from 'express';
import { DATASET_REVISION } from '@esd/dataset-client/dataset-state';
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
// Cookies count there: no page of others may ask.
const OWN_PAGES_ONLY = /^(\/api)?\/session(\/|$)/;

// A page of any origin may read, so that a stored answer needs no `Vary: Origin`.
const READS: RawHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED.join(',')];

/**
 * Lets pages of any origin read, and pages of `writers` write, with credentials in headers, never in cookies. A question
 * beforehand is not answered yet, so that what comes between has these headers too. `/session` has none of them.
 */
export function cors(writers: string[]): (request: Request, response: Response) => void {
  const others = corsOf<Request>((request, answer) => {
    const method = preflightMethod(request) ?? request.method;
    answer(null, {
      origin: method === 'GET' || method === 'HEAD' ? '*' : writers,
      preflightContinue: true,
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    });
  });
  return (request, response) => {
    if (OWN_PAGES_ONLY.test(request.path)) return;
    if (request.method === 'GET' || request.method === 'HEAD') setHeaders(response, READS);
    else others(request, response, () => undefined);
  };
}

/** The method that a browser asks about before a page may use it. */
export function preflightMethod(request: Request): string | undefined {
  return request.method === 'OPTIONS' ? request.headers['access-control-request-method'] : undefined;
}
