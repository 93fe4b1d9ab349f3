import type { RequestHandler } from 'express';
import type { GatewayConfig } from '../config.ts';
import type { Route } from './route.ts';

const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';
// The links of mails lead there, and have a token in their query.
const WITH_TOKEN = /^(\/api)?\/auth\//;

/**
 * What every answer asks of browsers: to guess no types, to send other sites no path as a referrer (and no site at all that of what
 * may have a token), to give nothing to the pages of others unless the route says so, and HTTPS alone for `hsts` seconds.
 */
export function securityHeaders({ ESD_HSTS: hsts }: Pick<GatewayConfig, 'ESD_HSTS'>): RequestHandler {
  return (request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader(RESOURCE_POLICY, 'same-origin');
    response.setHeader(
      'Referrer-Policy',
      WITH_TOKEN.test(request.path) ? 'no-referrer' : 'strict-origin-when-cross-origin',
    );
    if (hsts !== 'off') response.setHeader('Strict-Transport-Security', `max-age=${hsts}`);
    next();
  };
}

/** Lets the pages of others show what anybody may read: data, files and images, but no page. */
export function resourcePolicy({ method, path, caller, describe }: Route): RequestHandler {
  const isShared = method === 'get' && caller === 'ignored' && describe !== 'page' && !WITH_TOKEN.test(path);
  return (_request, response, next) => {
    if (isShared) response.setHeader(RESOURCE_POLICY, 'cross-origin');
    next();
  };
}
