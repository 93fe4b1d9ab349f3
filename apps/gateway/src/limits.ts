import type { Request, RequestHandler, Response } from 'express';
import { rateLimit, type RateLimitInfo } from 'express-rate-limit';
import { errorAnswer } from '@esd/service/error-body';
import { ServiceError } from '@esd/service/errors';
import { addressBlock, clientIp } from './client-ip.ts';
import type { GatewayConfig } from './config.ts';
import { windowStore } from './window-store.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** What is left to the client, on a route that has a limit. */
    rateLimit?: RateLimitInfo;
  }
}

/** What a request counts as; the requests of a class share one limit. */
export type LimitClass = 'reads' | 'exports' | 'submissions' | 'accounts';

/** Settings of the limits. */
export type LimitConfig = Pick<
  GatewayConfig,
  'ESD_RATE_LIMITS' | 'ESD_LIMIT_READS' | 'ESD_LIMIT_EXPORTS' | 'ESD_LIMIT_SUBMISSIONS' | 'ESD_LIMIT_ACCOUNTS'
>;

const WINDOW_SECONDS = 60;
// At the lowest limit that is 50,000 × 20 requests a minute, more than a gateway can answer. About 20 MB a class.
const MOST_CLIENTS = 50_000;

/**
 * Makes the handlers that hold each client to the limit of a class: RATE_LIMITED beyond it. Every answer tells what is
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
  };
  return (limit) => handlers[limit];
}

function limiter(name: LimitClass, limit: number): RequestHandler[] {
  const policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
  const tell = (request: Request, response: Response): number => {
    const { remaining = 0, resetTime } = request.rateLimit ?? {};
    const seconds = resetTime ? Math.max(1, Math.ceil((resetTime.getTime() - Date.now()) / 1000)) : WINDOW_SECONDS;
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"${name}";r=${remaining};t=${seconds}`);
    return seconds;
  };
  return [
    rateLimit({
      windowMs: WINDOW_SECONDS * 1000,
      limit,
      store: windowStore(MOST_CLIENTS),
      keyGenerator: (request) => addressBlock(clientIp(request) ?? ''),
      // The library writes these headers in a form of its own, and hashes the address for it.
      standardHeaders: false,
      legacyHeaders: false,
      handler: (request, response) => {
        const seconds = tell(request, response);
        const message = `More than ${limit} ${name} a minute came from this address; try again in ${seconds} s.`;
        const { status, headers, body } = errorAnswer(new ServiceError('RATE_LIMITED', message), request.requestId);
        response
          .status(status)
          .set({ ...headers, 'Retry-After': String(seconds) })
          .json(body);
      },
    }),
    (request, response, next) => {
      tell(request, response);
      next();
    },
  ];
}
