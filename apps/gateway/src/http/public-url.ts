import type { Request } from 'express';
import type { Exchange } from './exchange.ts';

/**
 * Where the interface is reached from outside (`ESD_PUBLIC_URL`), without a slash at the end; empty where that is not configured.
 * The `Host` header is never used: behind a proxy it names the gateway, and a caller may write anything in it.
 */
export function publicRoot(url: string | undefined): string {
  return url?.replace(/\/+$/, '') ?? '';
}

/**
 * The URL of what a request asks for, without its query, as callers reach it: absolute where the public URL is configured,
 * a path from the root otherwise. The path is the one that was asked for, `/api` included.
 */
export function selfUrl({ exchange, baseUrl, path }: Request): string {
  // What may not stand in a header, or would end a link in it.
  const safe = `${baseUrl}${path}`.replaceAll(
    /[^\x21-\x7e]|[<>"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
  return `${exchange.publicRoot}${safe}`;
}

/** The path of the public URL, before every address in a page; empty at the root. */
export function publicPath({ publicRoot: root }: Pick<Exchange, 'publicRoot'>): string {
  return root === '' ? '' : new URL(root).pathname.replace(/\/$/, '');
}
