import type { RequestHandler } from 'express';
import { endsInSubPath } from '@esd/record/metadata/dataset-path';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import { preflightMethod, cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import { limitBy } from './limits/limit-by.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { setHeaders } from './raw-headers.ts';
import { securityHeaders } from './security-headers.ts';

const DATASET = /^(?:\/api)?\/public\/dataset\//;

/** Creates the function that sets the headers of every response, for a path without query. */
export function commonHeaders(
  config: Pick<GatewayConfig, 'ESD_HSTS' | 'ESD_CORS_ORIGINS'>,
): (exchange: Exchange, path: string) => void {
  const headersFor = securityHeaders(config);
  const allowPages = cors(config.ESD_CORS_ORIGINS);
  return ({ request, response, requestId }, path) => {
    response.setHeader('X-Request-Id', requestId);
    setHeaders(response, headersFor(path));
    allowPages(path, request, response);
  };
}

/** Prepares each request. A single handler, because switching handlers in Express takes longer than this work. */
export function prepareRequests(
  setCommonHeaders: ReturnType<typeof commonHeaders>,
  limits: RateLimits,
): RequestHandler {
  return (request, response, next) => {
    const { exchange, path } = request;
    setCommonHeaders(exchange, path);
    if (preflightMethod(request) !== undefined) {
      limitBy(limits, 'other', exchange);
      response.status(204).end();
      return;
    }
    const malformed = malformedPath(path);
    if (malformed) {
      limitBy(limits, 'other', exchange);
      throw malformed;
    }
    request.url = decodeSlashes(request.url);
    next();
  };
}

/** Returns the error for a path whose percent-encoding is not valid UTF-8 or that contains a NUL. */
function malformedPath(path: string): ServiceError | undefined {
  // Bytes that are not encoded are checked by Node's own parser.
  if (!path.includes('%')) return undefined;
  try {
    if (!decodeURIComponent(path).includes('\0')) return undefined;
  } catch {
    return new ServiceError('INVALID_REQUEST', 'The path must be valid percent-encoded UTF-8.');
  }
  return new ServiceError('INVALID_REQUEST', 'The path must not contain null characters.');
}

/** Decodes the slashes in URLs of release resources, so that each spelling of a DOI works. */
function decodeSlashes(url: string): string {
  if (!url.includes('%2')) return url;
  const [path = ''] = url.split('?', 1);
  if (!DATASET.test(path)) return url;
  const plain = path.replaceAll(/%2f/gi, '/');
  return endsInSubPath(plain) ? plain + url.slice(path.length) : url;
}
