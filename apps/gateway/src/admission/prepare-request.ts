import { endsInSubPath } from '@esd/record/metadata/dataset-path';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import { cors, preflightMethod } from '../http/cors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { setHeaders } from '../http/raw-headers.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { limitBy } from '../http/limits/limit-by.ts';
import { API_PREFIX } from './route-table.ts';

const DATASET = '/public/dataset/';

/**
 * Creates the step that sets the headers of every response, answers preflight requests, and decodes slashes in the URLs of
 * releases. It returns whether it answered. Throws INVALID_REQUEST for a malformed path, and RATE_LIMITED.
 */
export function preparation(
  config: Pick<GatewayConfig, 'ESD_HSTS' | 'ESD_CORS_ORIGINS'>,
  limits: RateLimits,
): (exchange: Exchange) => boolean {
  const headersFor = securityHeaders(config);
  const allowPages = cors(config.ESD_CORS_ORIGINS);
  return (exchange) => {
    const { request, response, requestId } = exchange;
    // The absolute form, which clients send to proxies.
    const url = exchange.url.replace(/^https?:\/\/[^/?]*/i, '');
    const [path = ''] = url.split('?', 1);
    const pathBelowApi = path.replace(API_PREFIX, '');
    response.setHeader('X-Request-Id', requestId);
    setHeaders(response, headersFor(pathBelowApi));
    allowPages(pathBelowApi, request, response);
    const malformed = malformedPath(path);
    const isPreflight = preflightMethod(request) !== undefined;
    if (isPreflight || malformed) limitBy(limits, 'other', exchange);
    if (isPreflight) response.writeHead(204).end();
    else if (malformed) throw malformed;
    else request.url = pathBelowApi.startsWith(DATASET) ? decodeSlashes(url) : url;
    return isPreflight;
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
  if (!/%2f/i.test(url)) return url;
  const [path = ''] = url.split('?', 1);
  const plain = path.replaceAll(/%2f/gi, '/');
  return endsInSubPath(plain) ? plain + url.slice(path.length) : url;
}
