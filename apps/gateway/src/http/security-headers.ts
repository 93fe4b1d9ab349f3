import type { GatewayConfig } from '../config.ts';
import type { RawHeaders } from './raw-headers.ts';
import type { Route } from './route.ts';

const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';
// The links of mails lead there, and have a token in their query.
const WITH_TOKEN = /^(\/api)?\/auth\//;

/**
 * What every answer asks of browsers: to guess no types, to send other sites no path as a referrer (and no site at all that of what
 * may have a token), to give nothing to the pages of others unless the route says so, and HTTPS alone for `hsts` seconds.
 */
export function securityHeaders({ ESD_HSTS: hsts }: Pick<GatewayConfig, 'ESD_HSTS'>): (path: string) => RawHeaders {
  const withReferrer = (policy: string): RawHeaders => [
    'X-Content-Type-Options',
    'nosniff',
    RESOURCE_POLICY,
    'same-origin',
    'Referrer-Policy',
    policy,
    ...(hsts === 'off' ? [] : ['Strict-Transport-Security', `max-age=${hsts}`]),
  ];
  const withToken = withReferrer('no-referrer');
  const others = withReferrer('strict-origin-when-cross-origin');
  return (path) => (WITH_TOKEN.test(path) ? withToken : others);
}

/** Lets the pages of others show what anybody may read: data, files and images, but no page. */
export function resourcePolicy({ method, path, caller, describe }: Route): RawHeaders {
  const isShared = method === 'get' && caller === 'ignored' && describe !== 'page' && !WITH_TOKEN.test(path);
  return isShared ? [RESOURCE_POLICY, 'cross-origin'] : [];
}
