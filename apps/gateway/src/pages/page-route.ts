import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Frame, Page, Renderer } from '@esd/pages/page';
import type { Description as Described } from '@esd/record/metadata/description';
import { citationFormats, datasetFormats, metadataOfType, type Metadata } from '@esd/record/metadata/metadata-formats';
import { linkHeader, typedLinks } from '@esd/record/metadata/signposting';
import { errorAnswer } from '@esd/service/http/error-body';
import { toServiceError } from '@esd/service/errors';
import { type Input, route, type Route } from '../http/route.ts';
import type { Description } from '../http/route-description.ts';
import { publicPath } from '../http/public-url.ts';
import { sendRevalidated } from '../http/send-revalidated.ts';

const POLICY =
  "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** A page, or another address that it is at, below the root. */
export type PageAnswer = ShownPage | { redirect: string };

export interface ShownPage {
  page: Page;
  /** Its one address, below the root. */
  place: string;
}

type NoShape = Readonly<Record<string, never>>;

interface Definition<Parameters extends z.ZodRawShape> {
  path: string;
  /** What the OpenAPI document says of it, where programs get something else. */
  describe?: Description;
  answer?: z.ZodType;
  /** Any text: what is not there is told as a page. */
  parameters?: z.ZodObject<Parameters>;
  /** What the page shows, unless it has answered otherwise; throws ServiceError, which people see as a page. */
  show: (
    input: Input<unknown, z.output<z.ZodObject<Parameters>>, undefined>,
    response: Response,
  ) => Promise<PageAnswer | undefined>;
}

/** Defines the route of a page for people. It stands at the root only, without a slash at its end: other spellings lead there. */
export function pageRoute<Parameters extends z.ZodRawShape = NoShape>(
  renderer: Renderer,
  { path, describe, answer, parameters, show }: Definition<Parameters>,
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
        const answer = await show(input, response);
        if (answer === undefined) return;
        if ('redirect' in answer) {
          response
            .status(302)
            .set({ Location: `${base}${answer.redirect}`, 'Cache-Control': 'no-cache' })
            .end();
        } else sendPage(renderer, answer, request, response);
      } catch (error) {
        if (!namesHtml(request)) throw error;
        sendFailure(renderer, error, request, response);
      }
    },
  });
}

/** Sends a page, or 304 to who holds it. */
function sendPage(renderer: Renderer, { page, place }: ShownPage, request: Request, response: Response): void {
  if ('description' in page) {
    response.set('Link', linkHeader(typedLinks(page.description)));
    const asked = askedMetadata(page.description, request);
    if (asked) {
      sendRevalidated(asked, request, response);
      return;
    }
  }
  response.set('Content-Security-Policy', POLICY);
  const text = renderer.render(page, frameOf(request, place));
  sendRevalidated({ mediaType: 'text/html; charset=utf-8', text }, request, response);
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

function frameOf(request: Request, place: string): Frame {
  return { base: publicPath(request.exchange), address: `${request.exchange.publicRoot}${place}` };
}

/** The metadata that a request prefers to a page; undefined for the page. */
function askedMetadata(description: Described, request: Request): Metadata | undefined {
  const types = Object.values(description.kind === 'dataset' ? datasetFormats : citationFormats).map(({ mediaType }) =>
    mediaType.replace(/; charset=.*/, ''),
  );
  const type = request.accepts(['text/html', ...types]);
  return type === false || type === 'text/html' ? undefined : metadataOfType(description, type);
}

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
