import corsOf from 'cors';
import { type Request, type RequestHandler, Router } from 'express';

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

/**
 * Lets pages of any origin read, and pages of `writers` write. Credentials travel in headers only, never in cookies. A question
 * beforehand is not answered yet, so that what comes between has these headers too.
 */
export function cors(writers: string[]): RequestHandler {
  return corsOf<Request>((request, answer) => {
    const method = askedBeforehand(request) ?? request.method;
    answer(null, {
      origin: method === 'GET' || method === 'HEAD' ? '*' : writers,
      preflightContinue: true,
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
    });
  });
}

/** Answers the question of a browser whether a page may send a request; it counts by `limit`. */
export function preflight(limit: readonly RequestHandler[]): RequestHandler {
  const answer = Router().use(...limit, (_request, response) => {
    response.status(204).end();
  });
  return (request, response, next) => {
    if (askedBeforehand(request) === undefined) next();
    else answer(request, response, next);
  };
}

function askedBeforehand(request: Request): string | undefined {
  return request.method === 'OPTIONS' ? request.headers['access-control-request-method'] : undefined;
}
