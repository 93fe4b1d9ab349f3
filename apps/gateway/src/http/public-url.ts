import type { Request } from 'express';
import type { Exchange } from './exchange.ts';

/**
 * Returns the public URL (`ESD_PUBLIC_URL`) without a trailing slash; empty if it is not configured. The `Host` header is
 * never used: behind a proxy it names the gateway, and a caller can forge it.
 */
export function publicRoot(url: string | undefined): string {
  return url?.replace(/\/+$/, '') ?? '';
}

/** Returns the requested URL (including `/api`) without its query: absolute if the public URL is configured, else a path. */
export function selfUrl({
  exchange,
  baseUrl,
  path,
}: Pick<Request, 'baseUrl' | 'path'> & { exchange: Pick<Exchange, 'publicRoot'> }): string {
  // Escapes characters that a header must not contain or that would end a link.
  const safe = `${baseUrl}${path}`.replaceAll(
    /[^\x21-\x7e]|[<>"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
  return `${exchange.publicRoot}${safe}`;
}

/** Returns the path of the public URL, the prefix of every address in a page; empty at the root. */
export function publicPath({ publicRoot: root }: Pick<Exchange, 'publicRoot'>): string {
  return root === '' ? '' : new URL(root).pathname.replace(/\/$/, '');
}

/** Returns the value of a `Location` header for a path of this service: below the public URL, and below `/api` if the request is. */
export function locationOf({ exchange, baseUrl }: Request, path: string): string {
  return `${publicPath(exchange)}${baseUrl}${path}`;
}
