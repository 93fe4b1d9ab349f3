import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Renderer } from '@esd/pages/page';

/** A file that pages refer to, with a content hash in its name. */
export interface Asset {
  mediaType: string;
  /** By content coding; always contains `identity`. */
  encodings: ReadonlyMap<string, Buffer>;
}

/** The output of `nx run @esd/web:bundle`. */
export interface WebBundle extends Renderer {
  assets: ReadonlyMap<string, Asset>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
const CODINGS: Readonly<Record<string, string>> = { br: 'br', gz: 'gzip', zst: 'zstd' };

/** Loads the built web pages from a folder. Throws an Error with instructions if they are missing. */
export async function loadWebBundle(folder: string): Promise<WebBundle> {
  const server = resolve(folder, 'server', 'server.js');
  const bundle: unknown = await import(pathToFileURL(server).href).catch((error: unknown) => {
    throw new Error(`ESD_WEB_DIST does not contain the web pages: cannot load ${server}. Run \`npm run build\`.`, {
      cause: error,
    });
  });
  if (!isRenderer(bundle))
    throw new Error(
      `ESD_WEB_DIST does not contain the web pages: ${server} does not export \`build\`, \`render\` and \`titlesOf\`. Run \`npm run build\`.`,
    );
  const assets = new Map<string, { mediaType: string; encodings: Map<string, Buffer> }>();
  const names = await readdir(join(folder, 'client', 'assets'));
  for (const name of names) {
    const [, plain = name, suffix = ''] = /^(.*)\.([^.]+)$/.exec(name) ?? [];
    const coding = CODINGS[suffix];
    const of = coding === undefined ? name : plain;
    const mediaType = MEDIA_TYPES[of.slice(of.lastIndexOf('.') + 1)];
    if (mediaType === undefined) throw new Error(`Unknown file type: ${name} in ${folder}.`);
    const asset = assets.get(of) ?? { mediaType, encodings: new Map<string, Buffer>() };
    assets.set(of, asset);
    asset.encodings.set(coding ?? 'identity', await readFile(join(folder, 'client', 'assets', name)));
  }
  return { build: bundle.build, render: bundle.render, titlesOf: bundle.titlesOf, assets };
}

function isRenderer(bundle: unknown): bundle is Renderer {
  if (typeof bundle !== 'object' || bundle === null || !('build' in bundle)) return false;
  if (!('render' in bundle) || !('titlesOf' in bundle) || typeof bundle.build !== 'string') return false;
  return typeof bundle.render === 'function' && typeof bundle.titlesOf === 'function';
}
