import type { GatewayConfig } from '../config.ts';
import type { RawHeaders } from './raw-headers.ts';
import type { Route } from './route.ts';

const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';
// Mail links open these paths, with a token in the query.
const WITH_TOKEN = '/auth/';

/**
 * Returns the security headers of a path. They forbid type sniffing, and embedding by other origins unless the route allows
 * it. Referrers to other sites contain no path; a page whose path has a token sends no referrer. Browsers use only HTTPS
 * for `hsts` seconds.
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
  return (path) => (path.startsWith(WITH_TOKEN) ? withToken : others);
}

/** Allows pages of other origins to embed public data, files and images, but not web pages. */
export function resourcePolicy({ method, path, caller, describe }: Route): RawHeaders {
  const isShared = method === 'get' && caller === 'ignored' && describe !== 'page' && !path.startsWith(WITH_TOKEN);
  return isShared ? [RESOURCE_POLICY, 'cross-origin'] : [];
}
