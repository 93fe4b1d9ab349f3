import { type CallLimit, Overloaded } from '@esd/service/rpc/call-limit';
import { addressOf, type PageCache } from '../cache/page-cache.ts';
import { ENCODINGS } from '../http/encoding.ts';
import type { RequestLine } from '../http/connections/early-refusals.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';

export interface Refusal {
  route?: Route;
  error: Overloaded;
}

export interface OverloadGuard {
  /** Whether a request starts before others that wait: those with reserved slots or a body, health, and revalidations. */
  isUrgent(line: RequestLine): boolean;
  /** Whether any request is refused now. */
  isRefusing(): boolean;
  /** Returns the refusal of a request whose route needs a service with a full queue; undefined for all others. */
  refusalOf(line: RequestLine): Refusal | undefined;
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
  const routeOf = ({ method, url }: RequestLine): Route | undefined => {
    const [path = ''] = url.split('?', 1);
    return patterns.find((known) => known.method === method && known.pattern.test(path))?.route;
  };
  const isCached = ({ isRevalidation, url }: RequestLine): boolean =>
    isRevalidation || ENCODINGS.some((encoding) => pages.repeat(addressOf(url, encoding)));
  return {
    isUrgent: (line) => {
      // Requests with a body have their own limits, see `bodyBudget`.
      if ((line.method !== 'GET' && line.method !== 'HEAD') || isCached(line)) return true;
      const route = routeOf(line);
      return route !== undefined && (route.role !== undefined || route.limit === 'none');
    },
    isRefusing: () => [...needs.keys()].some((limit) => limit.isFull),
    refusalOf: (line) => {
      for (const [limit, needing] of needs) {
        if (!limit.isFull || isCached(line)) continue;
        const route = routeOf(line);
        if (route && needing.has(route)) return { route, error: new Overloaded(limit) };
      }
      return undefined;
    },
    learn: ({ limit }, { route }) => {
      if (!limit) return;
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
