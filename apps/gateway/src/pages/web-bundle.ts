import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Renderer } from '@esd/pages/page';

/** A file that pages refer to; its name changes with its content. */
export interface Asset {
  mediaType: string;
  /** By content coding, `identity` always among them. */
  encodings: ReadonlyMap<string, Buffer>;
}

/** What `nx run @esd/web:bundle` builds. */
export interface WebBundle extends Renderer {
  /** By name. */
  assets: ReadonlyMap<string, Asset>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
const CODINGS: Readonly<Record<string, string>> = { br: 'br', gz: 'gzip', zst: 'zstd' };

/** Loads the pages that were built into a folder. Throws an Error that says what to do where they were not. */
export async function loadWebBundle(folder: string): Promise<WebBundle> {
  const server = resolve(folder, 'server', 'server.js');
  const bundle: unknown = await import(pathToFileURL(server).href).catch((error: unknown) => {
    throw new Error(`ESD_WEB_DIST has no pages: ${server} cannot be loaded. Run npm run build.`, { cause: error });
  });
  if (!isRenderer(bundle)) throw new Error(`ESD_WEB_DIST has other pages: ${server} exports no render.`);
  const assets = new Map<string, { mediaType: string; encodings: Map<string, Buffer> }>();
  const names = await readdir(join(folder, 'client', 'assets'));
  for (const name of names) {
    const [, plain = name, suffix = ''] = /^(.*)\.([^.]+)$/.exec(name) ?? [];
    const coding = CODINGS[suffix];
    const of = coding === undefined ? name : plain;
    const mediaType = MEDIA_TYPES[of.slice(of.lastIndexOf('.') + 1)];
    if (mediaType === undefined) throw new Error(`${name} in ${folder} is of no known type.`);
    const asset = assets.get(of) ?? { mediaType, encodings: new Map<string, Buffer>() };
    assets.set(of, asset);
    asset.encodings.set(coding ?? 'identity', await readFile(join(folder, 'client', 'assets', name)));
  }
  return { render: bundle.render, assets };
}

function isRenderer(bundle: unknown): bundle is Renderer {
  return typeof bundle === 'object' && bundle !== null && 'render' in bundle && typeof bundle.render === 'function';
}
