import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Frame, Page, Renderer } from '@esd/pages/page';
import type { Description as Described } from '@esd/record/metadata/description';
import { citationFormats, datasetFormats, metadataOfType } from '@esd/record/metadata/metadata-formats';
import { errorAnswer } from '@esd/service/http/error-body';
import { toServiceError } from '@esd/service/errors';
import { unknownPath } from '../http/errors.ts';
import { type Input, route, type Route } from '../http/route.ts';
import type { Description } from '../http/route-description.ts';
import { publicPath } from '../http/public-url.ts';
import { JSON_TYPE } from '../http/send-json.ts';
import { sendRevalidated } from '../http/send-revalidated.ts';
import { linkHeader, typedLinks } from '../http/signposting.ts';
import { type HtmlPages, type PageText, sendHtmlPage } from '../cache/html-pages.ts';

/** What a page may load and run: files of the service alone. */
export const POLICY =
  "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html';
const JSON_ONLY = 'application/json';

/** A page, or another address that it is at, below the root. */
export type PageAnswer = ShownPage | { redirect: string };

export interface ShownPage {
  /** A function makes the page only where HTML is sent; such a page has no description. */
  page: Page | (() => Page);
  /** Its one address, below the root. */
  place: string;
  /** The text for who prefers application/json; without it they get the page. */
  json?: () => string | Buffer | Promise<string | Buffer>;
  /** Something is missing that may be known a moment later: it is not kept. */
  isPartial?: boolean;
}

type NoShape = Readonly<Record<string, never>>;

interface Definition<Parameters extends z.ZodRawShape> {
  path: string;
  /** What the OpenAPI document says of it, where programs get something else. */
  describe?: Description;
  answer?: z.ZodType;
  /** Any text: what is not there is told as a page. */
  parameters?: z.ZodObject<Parameters>;
  /** Where it is kept, if it follows from the dataset, its releases and the day alone. */
  kept?: HtmlPages;
  /** What the page shows; throws ServiceError, which people see as a page. */
  show: (input: Input<unknown, z.output<z.ZodObject<Parameters>>, undefined>) => Promise<PageAnswer>;
}

/** Defines the route of a page for people. It stands at the root only, without a slash at its end: other spellings lead there. */
export function pageRoute<Parameters extends z.ZodRawShape = NoShape>(
  renderer: Renderer,
  { path, describe, answer, parameters, kept, show }: Definition<Parameters>,
): Route {
  return route<NoShape, Parameters>({
    method: 'get',
    path,
    caller: 'ignored',
    limit: 'pages',
    describe: describe ?? 'page',
    ...(answer ? { answer } : {}),
    anyQuery: true,
    ...(parameters ? { parameters } : {}),
    handle: async (input, response) => {
      const { request } = input;
      const base = publicPath(request.exchange);
      response.set('Vary', 'Accept');
      const place = ownPlace(request);
      if (place !== undefined) {
        response.status(308).set('Location', `${base}${place}`).end();
        return;
      }
      try {
        const asked = preferredType(request, ALL_TYPES) ?? HTML;
        const key = await kept?.keyOf(request.url, asked, input.call);
        const known = key === undefined ? undefined : kept?.get(key);
        if (known) {
          await sendHtmlPage(known, request, response);
          return;
        }
        const answer = await show(input);
        if ('redirect' in answer) {
          response
            .status(302)
            .set({ Location: `${base}${answer.redirect}`, 'Cache-Control': 'no-cache' })
            .end();
          return;
        }
        const { type, ...made } = await represent(renderer, answer, request);
        // Another type is the next best of what this request takes, and not of each that prefers what it asked for.
        if (kept && key !== undefined && type === asked && answer.isPartial !== true) {
          await sendHtmlPage(kept.keep(key, made), request, response);
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

/** Shows people who read an address that no route has that nothing is there; programs get the error body from what comes next. */
export function unknownPathPage(renderer: Renderer): RequestHandler {
  return (request, response, next) => {
    if (!['GET', 'HEAD'].includes(request.method) || !namesHtml(request)) {
      next();
      return;
    }
    response.set('Vary', 'Accept');
    sendFailure(renderer, unknownPath(request), request, response);
  };
}

/** A page in the representation that a request prefers among those that there are of it, with its type. */
async function represent(
  renderer: Renderer,
  { page, place, json }: ShownPage,
  request: Request,
): Promise<PageText & { type: string }> {
  const description = typeof page !== 'function' && 'description' in page ? page.description : undefined;
  const link = description ? { Link: linkHeader(typedLinks(description)) } : {};
  const type =
    preferredType(request, [...(json ? [JSON_ONLY] : []), ...(description ? metadataTypes(description) : [])]) ?? HTML;
  if (json && type === JSON_ONLY) {
    return { type, text: await json(), headers: { ...link, 'Content-Type': JSON_TYPE } };
  }
  const metadata = description && type !== HTML ? metadataOfType(description, type) : undefined;
  if (metadata) return { type, text: metadata.text, headers: { ...link, 'Content-Type': metadata.mediaType } };
  return {
    type: HTML,
    text: renderer.render(typeof page === 'function' ? page() : page, frameOf(request, place)),
    headers: { ...link, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  };
}

function sendFailure(renderer: Renderer, thrown: unknown, request: Request, response: Response): void {
  const { requestId } = request.exchange;
  const { status, headers, body } = errorAnswer(toServiceError(thrown), requestId);
  // What is unexpected goes to the log with the answer of the interface.
  if (status === 500) throw thrown;
  const title = TITLES[status] ?? 'This cannot be shown';
  const page: Page = body.withdrawn
    ? { kind: 'withdrawn', withdrawn: body.withdrawn }
    : { kind: 'error', status, title, message: body.message, requestId };
  response.status(status).set({ ...headers, 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' });
  response.type('html').send(renderer.render(page, frameOf(request, request.path)));
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'There is nothing at this address',
  503: 'The service is busy',
};

/** What is the same around every page, for the answer to a request. */
export function frameOf(request: Request, place: string): Frame {
  return { base: publicPath(request.exchange), address: `${request.exchange.publicRoot}${place}` };
}

/** The one of some media types that a request prefers to HTML; undefined for the page. */
function preferredType(request: Request, types: readonly string[]): string | undefined {
  const type = request.accepts([HTML, ...types]);
  return type === false || type === HTML ? undefined : type;
}

/** Whether a request prefers JSON to a page. Browsers, clients that accept anything, and those that accept neither get the page. */
export function prefersJson(request: Request): boolean {
  return preferredType(request, [JSON_ONLY]) === JSON_ONLY;
}

function metadataTypes({ kind }: Pick<Described, 'kind'>): string[] {
  return Object.values(kind === 'dataset' ? datasetFormats : citationFormats).map(({ mediaType }) =>
    mediaType.replace(/; charset=.*/, ''),
  );
}

// The formats of datasets are all that there are.
const ALL_TYPES = [JSON_ONLY, ...metadataTypes({ kind: 'dataset' })];

/** Where a page is that was asked for under /api or with a slash at its end; undefined where it is right. */
function ownPlace(request: Request): string | undefined {
  const { baseUrl, path, originalUrl } = request;
  const plain = path.replace(/\/+$/, '') || '/';
  if (baseUrl === '' && plain === path) return undefined;
  const search = originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?')) : '';
  return `${plain}${search}`;
}

/** Whether a request names HTML: people see errors as pages, programs the one error body. */
function namesHtml(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '');
}
