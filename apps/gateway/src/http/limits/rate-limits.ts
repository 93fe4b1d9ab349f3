import type { Request, RequestHandler, Response } from 'express';
import { rateLimit, type RateLimitInfo } from 'express-rate-limit';
import { errorAnswer } from '@esd/service/http/error-body';
import { NETWORK_SHARES } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import { clientAt, clientIp } from './client-ip.ts';
import type { GatewayConfig } from '../../config.ts';
import { rateLimitStore } from './rate-limit-store.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** What is left to the client, on a route that has a limit. */
    rateLimit?: RateLimitInfo;
    /** What is left to the client's /48, where it has one. */
    networkLimit?: RateLimitInfo;
  }
}

/** What a request counts as; the requests of a class share one limit. `other`: what no route answers. */
export type LimitClass = 'reads' | 'exports' | 'submissions' | 'accounts' | 'other';

/** Settings of the limits. */
export type LimitConfig = Pick<
  GatewayConfig,
  | 'ESD_RATE_LIMITS'
  | 'ESD_LIMIT_READS'
  | 'ESD_LIMIT_EXPORTS'
  | 'ESD_LIMIT_SUBMISSIONS'
  | 'ESD_LIMIT_ACCOUNTS'
  | 'ESD_LIMIT_OTHER'
>;

const WINDOW_SECONDS = 60;
// At the lowest limit that is 50,000 × 20 requests a minute, more than a gateway can answer. About 20 MB a class.
const MAX_CLIENTS = 50_000;

/**
 * Makes the handlers that keep each client within the limit of a class: RATE_LIMITED beyond it. Every answer says what is
 * left (`RateLimit`, `RateLimit-Policy`: draft-ietf-httpapi-ratelimit-headers, from -08 on). Counts live in this process.
 */
export function rateLimits(config: LimitConfig): (limit: LimitClass | 'none') => RequestHandler[] {
  if (config.ESD_RATE_LIMITS === 'off') return () => [];
  const handlers = {
    none: [],
    reads: limiter('reads', config.ESD_LIMIT_READS),
    exports: limiter('exports', config.ESD_LIMIT_EXPORTS),
    submissions: limiter('submissions', config.ESD_LIMIT_SUBMISSIONS),
    accounts: limiter('accounts', config.ESD_LIMIT_ACCOUNTS),
    other: limiter('other', config.ESD_LIMIT_OTHER),
  };
  return (limit) => handlers[limit];
}

function limiter(name: LimitClass, limit: number): RequestHandler[] {
  const policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
  const setHeaders = (response: Response, { remaining, seconds }: Left): void => {
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${name}";r=${remaining};t=${seconds}`);
  };
  const refuse = (request: Request, response: Response, seconds: number, limit: number, from: string): void => {
    setHeaders(response, { remaining: 0, seconds });
    const message = `More than ${limit} requests of the class "${name}" came from ${from} within a minute; try again in ${seconds} s.`;
    const error = new ServiceError('RATE_LIMITED', message, undefined, seconds);
    const { status, headers, body } = errorAnswer(error, request.requestId);
    response.status(status).set(headers).json(body);
  };
  const common = {
    windowMs: WINDOW_SECONDS * 1000,
    // The library writes these headers in another form, and hashes the address for it.
    standardHeaders: false,
    legacyHeaders: false,
  } as const;
  const networkLimitOfClass = limit * NETWORK_SHARES;
  return [
    rateLimit({
      ...common,
      limit,
      store: rateLimitStore(MAX_CLIENTS),
      keyGenerator: (request) => clientAt(clientIp(request) ?? '').block,
      handler: (request, response) => {
        refuse(request, response, leftOf(request.rateLimit).seconds, limit, 'this address');
      },
    }),
    rateLimit({
      ...common,
      limit: networkLimitOfClass,
      store: rateLimitStore(MAX_CLIENTS),
      requestPropertyName: 'networkLimit',
      skip: (request) => clientAt(clientIp(request) ?? '').network === undefined,
      keyGenerator: (request) => clientAt(clientIp(request) ?? '').network ?? '',
      handler: (request, response) => {
        const { seconds } = leftOf(request.networkLimit);
        refuse(request, response, seconds, networkLimitOfClass, 'this IPv6 network (/48)');
      },
    }),
    (request, response, next) => {
      setHeaders(response, leftOf(request.rateLimit));
      next();
    },
  ];
}

interface Left {
  remaining: number;
  seconds: number;
}

function leftOf({ remaining, resetTime }: Partial<RateLimitInfo> = {}): Left {
  const seconds = resetTime ? Math.max(1, Math.ceil((resetTime.getTime() - Date.now()) / 1000)) : WINDOW_SECONDS;
  return { remaining: remaining ?? 0, seconds };
}
