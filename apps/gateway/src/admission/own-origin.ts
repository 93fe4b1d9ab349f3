import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import type { Exchange } from '../http/exchange.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Creates the check that a request comes from a page of this service: `Origin` must match scheme and `Host` of the request,
 * or `ESD_PUBLIC_URL`. Throws ORIGIN_NOT_ALLOWED, and HTTPS_REQUIRED if the page was loaded over plain HTTP from another
 * machine and ESD_INSECURE_COOKIES is off.
 */
export function ownOriginCheck({
  ESD_PUBLIC_URL: publicUrl,
  ESD_INSECURE_COOKIES: insecureCookies,
}: Pick<GatewayConfig, 'ESD_PUBLIC_URL' | 'ESD_INSECURE_COOKIES'>): (exchange: Exchange) => void {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return ({ request: { headers }, scheme }) => {
    const { origin, host } = headers;
    const isOwn = host !== undefined && origin === `${scheme}://${host.toLowerCase()}`;
    const page = origin !== undefined && (isOwn || origin === publicOrigin) ? URL.parse(origin) : null;
    if (page === null) {
      const given = origin === undefined ? 'is missing' : `is ${describe(origin)}`;
      throw new ServiceError(
        'ORIGIN_NOT_ALLOWED',
        `Only pages of this service may send this request: \`Origin\` must be that of the service, but it ${given}. Programs use /auth/login and /auth/refresh.`,
      );
    }
    if (page.protocol === 'https:' || insecureCookies === 'on' || LOOPBACK.test(page.hostname)) return;
    throw new ServiceError(
      'HTTPS_REQUIRED',
      `Signing in requires HTTPS, but this page was loaded over HTTP from ${page.hostname}. Open the service at its https address.`,
    );
  };
}
