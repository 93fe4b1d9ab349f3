import type { IncomingMessage } from 'node:http';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { Call } from '../http/call.ts';
import type { Exchange } from '../http/exchange.ts';
import { hasBody } from '../http/has-body.ts';
import { firstClass } from '../http/limits/limit-by.ts';
import type { RateLimits } from '../http/limits/rate-limits.ts';
import { knownEncoding } from '../http/encoding.ts';
import { addressOf, countCached, type PageCache, type CachedResponse } from '../cache/page-cache.ts';

/**
 * Creates the step that serves repeated plain GETs while the dataset state is unchanged, and returns whether it did. Counts
 * them as usual. A later step throws what this one finds: the refusal of a limit, or a failed check of the state.
 */
export function cachedResponses(
  cache: PageCache,
  states: DatasetStates,
  limits: RateLimits,
): (exchange: Exchange) => boolean | Promise<boolean> {
  return (exchange) => {
    const cached = isPlainGet(exchange.request) ? responseTo(exchange, cache) : undefined;
    if (!cached) return false;
    exchange.limited = limits(firstClass(cached.route.limit), exchange.ip);
    if (exchange.limited.refusal) return false;
    const newest = cached.isPermanent ? states.latest() : states.fresh();
    if (newest) return sendIfCurrent(exchange, cached, newest);
    if (cached.isPermanent) return send(exchange, cached);
    return states.current(new Call(exchange, 'get')).then(
      (state) => sendIfCurrent(exchange, cached, state),
      (error: unknown) => {
        exchange.failure = { error };
        return false;
      },
    );
  };
}

function responseTo({ request, url }: Exchange, cache: PageCache): CachedResponse | undefined {
  const encoding = knownEncoding(request.headers['accept-encoding']?.toString());
  return encoding && cache.response(addressOf(url, encoding));
}

function isPlainGet(request: IncomingMessage): boolean {
  if (request.method !== 'GET' || hasBody(request)) return false;
  for (const name in request.headers) {
    if (name.startsWith('if-') || name === 'range') return false;
  }
  return true;
}

function sendIfCurrent(
  exchange: Exchange,
  cached: CachedResponse,
  { datasetId, revision }: CachedResponse['state'],
): boolean {
  const isSame = datasetId === cached.state.datasetId && (cached.isPermanent || revision === cached.state.revision);
  return isSame && send(exchange, cached);
}

function send(exchange: Exchange, { page, route, headers, body, text }: CachedResponse): true {
  const { response, requestId, limited } = exchange;
  exchange.route = route;
  countCached(page.kind, 'hit');
  response.writeHead(200, ['X-Request-Id', requestId, ...(limited?.headers ?? []), ...headers]);
  if (text === undefined) response.end(body);
  else response.end(text, 'latin1');
  return true;
}
