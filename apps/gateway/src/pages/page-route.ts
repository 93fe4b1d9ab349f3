import type { Request, Response } from 'express';
import type { z } from 'zod';
import { type ErrorPage, type Frame, type Page, type Renderer, WEB_BUILD } from '@esd/pages/page';
import type { Description as Described } from '@esd/record/metadata/description';
import { citationFormats, datasetFormats, metadataOfType } from '@esd/record/metadata/metadata-formats';
import { errorResponse } from '@esd/service/http/error-body';
import { toServiceError } from '@esd/service/errors';
import { unknownPath } from '../http/errors.ts';
import { refuseNul } from '../http/query.ts';
import { type Input, route, type Route } from '../http/route.ts';
import type { Description, LimitClass } from '@esd/api/operation';
import { publicPath } from '../http/public-url.ts';
import { JSON_TYPE } from '../http/send-json.ts';
import { sendRevalidated } from '../http/send-revalidated.ts';
import { typedLinkHeader, typedLinks } from '../http/signposting.ts';
import { cacheAddress, type HtmlPages, type PageText, sendHtmlPage } from '../cache/html-pages.ts';
import { countCached } from '../cache/page-cache.ts';

/** The `Content-Security-Policy` of pages: only files of this service. */
export const POLICY =
  "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html';
const JSON_ONLY = 'application/json';

export type PageAnswer = ShownPage | { redirect: string };

export interface ShownPage {
  /** A function is called only if HTML is sent; its page has no metadata. */
  page: Page | (() => Page);
  /** The canonical address below the root. */
  path: string;
  /** The response for clients that prefer application/json; without it, they get HTML. */
  json?: () => string | Buffer | Promise<string | Buffer>;
  /** Whether data is temporarily missing; such a page is not cached. */
  isPartial?: boolean;
}

type NoShape = Readonly<Record<string, never>>;

type PageInput<Parameters extends z.ZodRawShape> = Input<unknown, z.output<z.ZodObject<Parameters>>, undefined>;

/** A request whose URL was read. */
interface OpenedPage {
  /** The key of all that the page reads of the URL; undefined for a page that is not cached. */
  address: string | undefined;
  /** Loads the data of the page. A ServiceError is rendered as an error page. */
  show: () => Promise<PageAnswer>;
}

interface CommonDefinition<Parameters extends z.ZodRawShape> {
  path: string;
  /** The entry in the OpenAPI document, if the route also serves programs. */
  describe?: Description;
  answer?: z.ZodType;
  /** Accepts any text; `show` reports unknown names as an error page. */
  parameters?: z.ZodObject<Parameters>;
  cache?: HtmlPages;
  /** The class of its rate limit; `pages` by default. */
  limit?: LimitClass;
  /** Whether the page shows the state of this moment, so that no cache may store it. */
  isMomentary?: true;
}

/** A page that reads more of the URL than its path has `open`. */
type Definition<Parameters extends z.ZodRawShape> = CommonDefinition<Parameters> &
  (
    | { open: (input: PageInput<Parameters>) => OpenedPage; show?: undefined }
    | { open?: undefined; show: (input: PageInput<Parameters>) => Promise<PageAnswer> }
  );

/** Defines the route of a web page, which exists at the root only. */
export function pageRoute<Parameters extends z.ZodRawShape = NoShape>(
  renderer: Renderer,
  definition: Definition<Parameters>,
): Route {
  const { path, describe, answer, parameters, cache, limit = 'pages', isMomentary } = definition;
  return route<NoShape, Parameters>({
    method: 'get',
    path,
    caller: 'ignored',
    limit,
    isAtRootOnly: true,
    describe: describe ?? 'page',
    ...(answer ? { answer } : {}),
    anyQuery: true,
    ...(parameters ? { parameters } : {}),
    handle: async (input, response) => {
      const { request } = input;
      const base = publicPath(request.exchange);
      response.set('Vary', 'Accept');
      try {
        refuseNul(request.url);
        const preferred = preferredType(request, ALL_TYPES) ?? HTML;
        const { address, show } = definition.open
          ? definition.open(input)
          : { address: cacheAddress(input), show: () => definition.show(input) };
        const key = address === undefined ? undefined : await cache?.keyOf(address, preferred, input.call);
        const cached = key === undefined ? undefined : cache?.get(key);
        if (cached) {
          await sendHtmlPage(cached, request, response);
          countCached('html', response.statusCode === 304 ? 'not_modified' : 'hit');
          return;
        }
        const page = await show();
        if ('redirect' in page) {
          response
            .status(302)
            .set({ Location: `${base}${page.redirect}`, 'Cache-Control': 'no-cache' })
            .end();
          return;
        }
        const { type, ...made } = await represent(renderer, page, request);
        // Do not cache a fallback type: it depends on more than the preferred type, which is part of the key.
        if (cache && key !== undefined && type === preferred && page.isPartial !== true) {
          await sendHtmlPage(cache.store(key, made), request, response);
          return;
        }
        if (isMomentary) {
          response.set({ ...made.headers, 'Cache-Control': 'no-store' }).send(made.text);
          return;
        }
        const { 'Content-Type': mediaType = '', ...headers } = made.headers;
        response.set(headers);
        sendRevalidated({ mediaType, text: made.text }, request, response);
      } catch (error) {
        if (!namesHtml(request)) throw error;
        sendFailure(renderer, error, request, response);
      }
    },
  });
}

/** Sends an error page for an unknown path if `Accept` names HTML. Otherwise, throws ROUTE_NOT_FOUND. */
export function sendUnknownPath(renderer: Renderer, request: Request, response: Response): void {
  const error = unknownPath(request);
  if (!['GET', 'HEAD'].includes(request.method) || !namesHtml(request)) throw error;
  response.set('Vary', 'Accept');
  sendFailure(renderer, error, request, response, 'without a route');
}

async function represent(
  renderer: Renderer,
  { page, path, json }: ShownPage,
  request: Request,
): Promise<PageText & { type: string }> {
  const description = typeof page !== 'function' && 'description' in page ? page.description : undefined;
  const link = description ? { Link: typedLinkHeader(typedLinks(description)) } : {};
  const type =
    preferredType(request, [...(json ? [JSON_ONLY] : []), ...(description ? metadataTypes(description) : [])]) ?? HTML;
  if (json && type === JSON_ONLY) {
    return { type, text: await json(), headers: { ...link, [WEB_BUILD]: renderer.build, 'Content-Type': JSON_TYPE } };
  }
  const metadata = description && type !== HTML ? metadataOfType(description, type) : undefined;
  if (metadata) return { type, text: metadata.text, headers: { ...link, 'Content-Type': metadata.mediaType } };
  return {
    type: HTML,
    text: renderer.render(typeof page === 'function' ? page() : page, frameOf(request, path)),
    headers: { ...link, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  };
}

function sendFailure(
  renderer: Renderer,
  thrown: unknown,
  request: Request,
  response: Response,
  address: 'of a route' | 'without a route' = 'of a route',
): void {
  const { requestId } = request.exchange;
  const { status, headers, body } = errorResponse(toServiceError(thrown), requestId);
  // The error handler logs unexpected errors and sends the error body.
  if (status === 500) throw thrown;
  const title = TITLES[status] ?? 'This page cannot be shown';
  // The message for programs names the list of API paths.
  const message = address === 'of a route' ? body.message : undefined;
  const missing = status === 404 ? missingPage(request) : undefined;
  const page: Page = body.withdrawn
    ? { kind: 'withdrawn', withdrawn: body.withdrawn }
    : { kind: 'error', status, title, message, missing, requestId };
  response.status(status).set({ ...headers, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' });
  response.type('html').send(renderer.render(page, frameOf(request, request.path)));
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid address',
  404: 'Page not found',
  503: 'The service is busy',
};

const MAX_ADDRESS = 200;
const MAX_SEARCH = 100;
/** Characters that are invisible or change the direction of text. */
const INVISIBLE = /[\p{C}\p{Z}]/gu;

/** Returns the address of a missing page as people read it, and its last part as a text to search for. */
function missingPage(request: Request): ErrorPage['missing'] {
  const address = decodeURI(request.path).replaceAll(INVISIBLE, encodeURIComponent);
  const last = request.path.split('/').findLast((part) => part !== '') ?? '';
  const search = decodeURIComponent(last).replaceAll(INVISIBLE, ' ').trim();
  return {
    address: publicPath(request.exchange) + shortened(address, MAX_ADDRESS),
    search: shortened(search, MAX_SEARCH, ''),
  };
}

function shortened(text: string, length: number, mark = '…'): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}${mark}`;
}

export function frameOf(request: Request, path: string): Frame {
  const { exchange } = request;
  return { base: publicPath(exchange), root: exchange.publicRoot, address: `${exchange.publicRoot}${path}` };
}

/** Returns the media type that a request prefers to HTML; undefined for HTML. */
function preferredType(request: Request, types: readonly string[]): string | undefined {
  const type = request.accepts([HTML, ...types]);
  return type === false || type === HTML ? undefined : type;
}

/** Returns whether a request prefers JSON to HTML. Clients that accept anything, or neither of them, get HTML. */
export function prefersJson(request: Request): boolean {
  return preferredType(request, [JSON_ONLY]) === JSON_ONLY;
}

/** Returns whether `Accept` names HTML and prefers it to JSON, as browsers do. */
export function prefersPage(request: Request): boolean {
  return namesHtml(request) && request.accepts([JSON_ONLY, HTML]) === HTML;
}

function metadataTypes({ kind }: Pick<Described, 'kind'>): string[] {
  return Object.values(kind === 'dataset' ? datasetFormats : citationFormats).map(({ mediaType }) =>
    mediaType.replace(/; charset=.*/, ''),
  );
}

// A dataset is available in all metadata formats.
const ALL_TYPES = [JSON_ONLY, ...metadataTypes({ kind: 'dataset' })];

/** Redirects a path under /api or with a trailing slash to the path of the page. Returns whether it did. */
export function redirectToRoot(request: Request, response: Response): boolean {
  const canonical = canonicalPath(request);
  if (canonical === undefined) return false;
  response
    .status(308)
    .set('Location', `${publicPath(request.exchange)}${canonical}`)
    .end();
  return true;
}

/** Returns the canonical address for a path under /api or with a trailing slash; undefined if the path is canonical. */
function canonicalPath(request: Request): string | undefined {
  const { baseUrl, path, originalUrl } = request;
  const plain = path.replace(/\/+$/, '') || '/';
  if (baseUrl === '' && plain === path) return undefined;
  const search = originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?')) : '';
  return `${plain}${search}`;
}

/** Returns whether `Accept` names HTML: browsers get error pages, programs get the error body. */
function namesHtml(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '');
}
