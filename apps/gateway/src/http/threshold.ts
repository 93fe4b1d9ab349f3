import type { RequestHandler } from 'express';
import type { GatewayConfig } from '../config.ts';
import { askedBeforehand, cors } from './cors.ts';
import { limitBy } from './limits/limit-by.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { setHeaders } from './raw-headers.ts';
import { securityHeaders } from './security-headers.ts';
import { withPlainSlashes } from './plain-slashes.ts';
import { malformedPath } from './well-formed-path.ts';

/**
 * What comes before every route: the headers of every answer; the answer to a browser that asks whether a page may send a
 * request, and the refusal of a malformed path, both of which count in the class `other`. One handler, because Express
 * takes longer between two than these take.
 */
export function threshold(
  config: Pick<GatewayConfig, 'ESD_HSTS' | 'ESD_CORS_ORIGINS'>,
  limits: RateLimits,
): RequestHandler {
  const headersFor = securityHeaders(config);
  const allowPages = cors(config.ESD_CORS_ORIGINS);
  return (request, response, next) => {
    const { exchange, path } = request;
    response.setHeader('X-Request-Id', exchange.requestId);
    setHeaders(response, headersFor(path));
    allowPages(request, response);
    if (askedBeforehand(request) !== undefined) {
      limitBy(limits, 'other', exchange);
      response.status(204).end();
      return;
    }
    const malformed = malformedPath(path);
    if (malformed) {
      limitBy(limits, 'other', exchange);
      throw malformed;
    }
    request.url = withPlainSlashes(request.url);
    next();
  };
}
