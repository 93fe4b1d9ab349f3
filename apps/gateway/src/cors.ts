import corsOf from 'cors';
import type { Request, RequestHandler } from 'express';

const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];
const PREFLIGHT_SECONDS = 600;

/** Lets pages of any origin read, and pages of `writers` write. Credentials travel in headers only, never in cookies. */
export function cors(writers: string[]): RequestHandler {
  return corsOf<Request>((request, answer) => {
    const asked = request.headers['access-control-request-method'];
    const isPreflight = request.method === 'OPTIONS' && asked !== undefined;
    const method = isPreflight ? asked : request.method;
    answer(null, {
      origin: method === 'GET' || method === 'HEAD' ? '*' : writers,
      preflightContinue: !isPreflight,
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    });
  });
}
