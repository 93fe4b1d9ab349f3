import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../config.ts';
import type { Exchange } from './exchange.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Makes the check that a request comes from a page of this service, by its `Origin`: that of the request's own scheme and `Host`, or
 * of `ESD_PUBLIC_URL`. It throws ORIGIN_NOT_ALLOWED, and HTTPS_REQUIRED where the page was read over plain HTTP from another
 * machine and ESD_INSECURE_COOKIES does not allow that.
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
      const given = origin === undefined ? 'has none' : `has ${describe(origin)}`;
      throw new ServiceError(
        'ORIGIN_NOT_ALLOWED',
        `Only pages of this service may ask for this: \`Origin\` must be that of the service, and the request ${given}. Programs use /auth/login and /auth/refresh.`,
      );
    }
    if (page.protocol === 'https:' || insecureCookies === 'on' || LOOPBACK.test(page.hostname)) return;
    throw new ServiceError(
      'HTTPS_REQUIRED',
      `Signing in needs HTTPS, and this page came over HTTP from ${page.hostname}: open the service by its https address.`,
    );
  };
}
