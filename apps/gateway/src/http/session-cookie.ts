import type { CookieOptions, Request, Response } from 'express';
import type { GatewayConfig } from '../config.ts';

/** The cookie in which the browser of a person who signed in keeps the refresh token. Only the paths of `/session` look at it. */
export interface SessionCookie {
  /** Undefined where the request has none. */
  read(request: Request): string | undefined;
  /** Without `until` it goes when the browser is closed. */
  set(response: Response, refreshToken: string, until: Date | undefined): void;
  clear(response: Response): void;
}

/**
 * Makes the cookie: `__Host-esd` where the public URL is https (RFC 6265bis section 4.1.3.2), else `esd-{port}`, since browsers
 * send a cookie to every port of a host.
 */
export function sessionCookie({ ESD_PUBLIC_URL: publicUrl }: Pick<GatewayConfig, 'ESD_PUBLIC_URL'>): SessionCookie {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const secure = url?.protocol === 'https:';
  const options: CookieOptions = { path: '/', httpOnly: true, sameSite: 'strict', secure };
  const nameFor = ({ socket }: Request): string => {
    if (secure) return '__Host-esd';
    return `esd-${url === undefined ? String(socket.localPort) : url.port || '80'}`;
  };
  return {
    read: (request) => {
      const start = `${nameFor(request)}=`;
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
    },
    set: (response, refreshToken, until) => {
      response.cookie(nameFor(response.req), refreshToken, { ...options, ...(until && { expires: until }) });
    },
    clear: (response) => {
      response.clearCookie(nameFor(response.req), options);
    },
  };
}
