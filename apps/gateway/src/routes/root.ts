import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import { z } from 'zod';
import { textTag, matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import type { GatewayConfig } from '../config.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { route, type Route } from '../http/route.ts';
import { homePage } from '../pages/home-page.ts';
import { pageHeaders, pageHtml } from '../pages/html-page.ts';
import type { Upstream } from '../upstream/upstream.ts';

const rootAnswer = z
  .strictObject({
    title: z.string(),
    records: z.int().nullable().meta({ description: 'The number of published records; null while it is unknown.' }),
    newestRelease: z
      .string()
      .nullable()
      .meta({ description: 'The identifier of the newest frozen version; null if there is none or it is unknown.' }),
    links: z.record(z.string(), z.string()).meta({ description: 'Where everything is.' }),
  })
  .meta({ id: 'Root' });

// How long the page waits for its numbers.
const NUMBERS_MS = 1_000;

/** GET /: what this is and where everything is, for people as HTML, for programs as JSON. */
export function rootRoutes(
  states: DatasetStates,
  { versions }: Pick<Upstream, 'versions'>,
  { ESD_SECURITY_CONTACT: contact }: Pick<GatewayConfig, 'ESD_SECURITY_CONTACT'>,
): Route[] {
  const linksBelow = (root: string) => ({
    docs: `${root}/docs`,
    openapi: `${root}/openapi.json`,
    dataset: `${root}/public/dataset`,
    export: `${root}/public/dataset/export`,
    releases: `${root}/public/dataset/versions`,
    ...(contact === '' ? {} : { security: `${root}/.well-known/security.txt` }),
  });
  return [
    route({
      method: 'get',
      path: '/',
      caller: 'ignored',
      describe: {
        tag: 'Service',
        summary: 'Get the links of the service',
        details: 'HTML, unless `Accept` prefers application/json.',
        returns: 'What the service has, and where.',
        otherTypes: ['text/html'],
        redirects: 'Under `/api`: the page is only at the root.',
        revalidates: true,
      },
      answer: rootAnswer,
      handle: async ({ request, call }, response) => {
        // Pages have one address each.
        if (request.baseUrl !== '') {
          const target = /^[^?]*\/(\?|$)/.test(request.originalUrl) ? '../' : './';
          response.status(308).location(target).end();
          return;
        }
        const [state, list] = await Promise.all([
          knownSoon(states.current(call)),
          knownSoon(versions.listVersions({}, call)),
        ]);
        const records = state?.recordCount;
        const newestRelease = list?.versions[0]?.identifier;
        const { publicRoot } = request.exchange;
        response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept' });
        const answer = prefersJson(request)
          ? {
              headers: { 'Content-Type': 'application/json; charset=utf-8' },
              text: JSON.stringify({
                title: 'Electrospinning Dataset Service',
                records: records ?? null,
                newestRelease: newestRelease ?? null,
                links: linksBelow(publicRoot),
              } satisfies z.output<typeof rootAnswer>),
            }
          : pageAnswer({
              records,
              newestRelease,
              links: linksBelow(publicRoot === '' ? '' : pathOf(publicRoot)),
              example: publicRoot === '' ? undefined : `${publicRoot}/public/dataset?limit=5`,
            });
        const tag = textTag(answer.text);
        response.set({ ...answer.headers, ETag: `"${tag}"` });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.end(answer.text);
      },
    }),
  ];
}

/** Pages answer HTML to browsers, to clients that accept anything, and to those that accept neither. */
function prefersJson(request: Request): boolean {
  return request.accepts(['html', 'json']) === 'json';
}

function pageAnswer(home: Parameters<typeof homePage>[0]) {
  const page = homePage(home);
  return { headers: { ...pageHeaders(page), 'Content-Type': 'text/html; charset=utf-8' }, text: pageHtml(page) };
}

function pathOf(publicRoot: string): string {
  return new URL(publicRoot).pathname.replace(/\/$/, '');
}

/** A value if it comes within a second, otherwise undefined: the page is useful without it. */
async function knownSoon<Value>(value: Promise<Value>): Promise<Value | undefined> {
  const waiting = new AbortController();
  const late = sleep(NUMBERS_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return await Promise.race([value.catch(() => undefined), late]);
  } finally {
    waiting.abort();
  }
}
