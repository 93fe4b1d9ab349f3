import { type CallLimit, Overloaded } from '@esd/service/rpc/call-limit';
import { addressOf, type PageCache } from '../../cache/page-cache.ts';
import { ENCODINGS } from '../encoding.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../route.ts';

export interface OverloadGuard {
  /** Returns the refusal of a request whose route needs a service with a full queue; undefined for all others. */
  refusalOf(exchange: Exchange): { route: Route; error: Overloaded } | undefined;
  /** Learns from a refused request that its route needs the service. */
  learn(error: Overloaded, exchange: Exchange): void;
}

/**
 * Finds the requests that a full queue would refuse later at a higher cost. The first refused request of a route shows which
 * service the route needs. Requests pass that a cache may answer, that use reserved slots, or that are for a web page,
 * because web pages have their own cache.
 */
export function overloadGuard(routes: readonly Route[], pages: Pick<PageCache, 'repeat'>): OverloadGuard {
  const patterns = routes.map((route) => ({
    route,
    method: route.method.toUpperCase(),
    pattern: patternOf(route.path),
  }));
  const needs = new Map<CallLimit, Set<Exchange['route']>>();
  return {
    refusalOf: ({ request, url }) => {
      for (const [limit, needing] of needs) {
        if (!limit.isFull) continue;
        const [path = ''] = url.split('?', 1);
        const found = patterns.find(({ method, pattern }) => method === request.method && pattern.test(path));
        if (!found || !needing.has(found.route) || request.headers['if-none-match'] !== undefined) continue;
        if (ENCODINGS.some((encoding) => pages.repeat(addressOf(url, encoding)))) continue;
        return { route: found.route, error: new Overloaded(limit) };
      }
      return undefined;
    },
    learn: ({ limit }, { route }) => {
      const known = routes.find((one) => one === route);
      // Another route may have the same path and method.
      if (!known || known.role !== undefined || known.describe === 'page' || known.isFor) return;
      needs.set(limit, (needs.get(limit) ?? new Set()).add(known));
    },
  };
}

/** Returns the pattern of a path in the syntax of Express: `:name` is one segment, `*name` one or more. */
function patternOf(path: string): RegExp {
  return new RegExp(
    `^(?:/api)?${path
      .split(/([:*]\w+)/)
      .map(partPattern)
      .join('')}/?$`,
  );
}

function partPattern(part: string): string {
  if (part.startsWith(':')) return '[^/]+?';
  return part.startsWith('*') ? '.+?' : part.replaceAll('.', '\\.');
}
