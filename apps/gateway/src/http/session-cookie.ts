import type { CookieOptions, Request, Response } from 'express';
import type { GatewayConfig } from '../config.ts';

/** The cookie that stores the refresh token in the browser of a signed-in user. Only `/session` paths read it. */
export interface SessionCookie {
  read(request: Request): string | undefined;
  /** Without `until`, the cookie expires when the browser is closed. */
  set(response: Response, refreshToken: string, until: Date | undefined): void;
  clear(response: Response): void;
}

/**
 * Creates the cookie: `__Host-esd` if the public URL is https (RFC 6265bis section 4.1.3.2), otherwise `esd-{port}`,
 * because browsers send a cookie to every port of a host.
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
