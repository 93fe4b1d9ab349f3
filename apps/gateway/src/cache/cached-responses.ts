import type { IncomingMessage } from 'node:http';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { Call } from '../http/call.ts';
import type { Exchange } from '../http/exchange.ts';
import { hasBody } from '../http/limits/has-body.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { knownEncoding } from '../http/encoding.ts';
import { addressOf, countCached, type PageCache, type Repeat } from './page-cache.ts';

export type CachedResponses = (exchange: Exchange, pass: () => void) => void;

/** Serves repeated plain GETs ahead of Express while the dataset state is unchanged. Counts, limits and logs them as usual. */
export function cachedResponses(pages: PageCache, states: DatasetStates, limits: RateLimits): CachedResponses {
  return (exchange, pass) => {
    const found = isPlainGet(exchange.request) ? repeatOf(exchange, pages) : undefined;
    if (!found) {
      pass();
      return;
    }
    exchange.limited = limits(found.route.limit, exchange.ip);
    const newest = found.isFixed ? states.latest() : states.fresh();
    if (exchange.limited.refusal) pass();
    else if (newest) sendOrPass(exchange, found, newest, pass);
    else if (found.isFixed) send(exchange, found);
    else {
      states.current(new Call(exchange, 'get')).then(
        (state) => {
          sendOrPass(exchange, found, state, pass);
        },
        (error: unknown) => {
          exchange.failure = { error };
          pass();
        },
      );
    }
  };
}

function repeatOf({ request, url }: Exchange, pages: PageCache): Repeat | undefined {
  const encoding = knownEncoding(request.headers['accept-encoding']?.toString());
  return encoding && pages.repeat(addressOf(url, encoding));
}

function isPlainGet(request: IncomingMessage): boolean {
  if (request.method !== 'GET' || hasBody(request)) return false;
  for (const name in request.headers) {
    if (name.startsWith('if-') || name === 'range') return false;
  }
  return true;
}

function sendOrPass(
  exchange: Exchange,
  found: Repeat,
  { datasetId, revision }: Repeat['state'],
  pass: () => void,
): void {
  const isSame = datasetId === found.state.datasetId && (found.isFixed || revision === found.state.revision);
  if (isSame) send(exchange, found);
  else pass();
}

function send(exchange: Exchange, { page, route, headers, body, text }: Repeat): void {
  const { response, requestId, limited } = exchange;
  exchange.route = route;
  countCached(page.kind, 'hit');
  response.writeHead(200, ['X-Request-Id', requestId, ...(limited?.headers ?? []), ...headers]);
  if (text === undefined) response.end(body);
  else response.end(text, 'latin1');
}
