import type { RequestListener } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import type { Logger } from '@esd/service/health/log';
import type { Readiness } from '@esd/service/health/readiness';
import type { GatewayConfig } from '../config.ts';
import { openPageCache } from '../cache/page-cache.ts';
import { datasetStates } from '../dataset/dataset-states.ts';
import { Call } from '../http/call.ts';
import { errorResponses } from '../http/errors.ts';
import { rateLimits } from '../http/limits/rate-limits.ts';
import { setHeaders } from '../http/raw-headers.ts';
import { resourcePolicy } from '../http/security-headers.ts';
import { redirectToRoot, sendUnknownPath } from '../pages/page-route.ts';
import type { WebBundle } from '../pages/web-bundle.ts';
import { allRoutes } from '../routes/all-routes.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { bearerResolver } from './bearer.ts';
import { bodyBudget } from './body-budget.ts';
import { cachedResponses } from './cached-response.ts';
import { limitBy, needsAccount } from '../http/limits/limit-by.ts';
import { exchanges } from './open-exchange.ts';
import { ownOriginCheck } from './own-origin.ts';
import { preparation } from './prepare-request.ts';
import { requestTurns } from './request-turns.ts';
import { respondToMethod, routeTable } from './route-table.ts';

/** The access of a caller whose account only counts its requests. */
const ANY_CALLER = { caller: 'optional', role: undefined, targets: [] } as const;

export interface AdmissionOptions {
  config: GatewayConfig;
  upstream: Upstream;
  readiness: Readiness;
  web: WebBundle;
  log: Logger;
  /** Receives one line per request. */
  accessLog: Logger;
  /** The metadata of the latest dataset. */
  facts: DatasetFacts;
  operator: OperatorFacts;
}

/**
 * Creates the listener of the public server, which limits connections before. All requests pass the same steps in the
 * same order; a step that throws ends the request with an error body. Also returns the paths of all routes.
 */
export function admission(options: AdmissionOptions): { listener: RequestListener; paths: readonly string[] } {
  const { config, upstream, web, log, accessLog } = options;
  const limits = rateLimits(config);
  const states = datasetStates(upstream.dataset);
  const cache = openPageCache(config.ESD_PAGE_CACHE_MB * 1024 * 1024);
  const routes = allRoutes({ ...options, states, cache, limits });
  const sendError = errorResponses(log);

  const openExchange = exchanges(config, accessLog);
  const respondFromCache = cachedResponses(cache, states, limits);
  const prepare = preparation(config, limits);
  const findRoute = routeTable(routes);
  const takeTurn = requestTurns(config.ESD_UPSTREAM_WAIT_MS);
  const checkOrigin = ownOriginCheck(config);
  const resolveBearer = bearerResolver(upstream.identity);
  const reserveBody = bodyBudget(config);

  const listener: RequestListener = (request, response) => {
    const { exchange, span } = openExchange(request, response);
    void span.run(async () => {
      try {
        if (await respondFromCache(exchange)) return;
        if (prepare(exchange)) return;
        const match = findRoute(request);
        await takeTurn(request, match);
        if (!response.closed) withExpress(Object.assign(request, { exchange, match }), response);
      } catch (error) {
        sendError(error, exchange);
      }
    });
  };

  const handleRequest = async (request: Request, response: Response): Promise<void> => {
    const { exchange, match } = request;
    if (match) Object.assign(request, { params: match.parameters, baseUrl: match.base, url: match.url });
    const route = match?.routes.find((candidate) => candidate.isFor?.(request) ?? true);
    if (!route) {
      limitBy(limits, 'other', exchange);
      if (match) respondToMethod(match, request, response);
      else sendUnknownPath(web, request, response);
      return;
    }
    exchange.route = route;
    setHeaders(response, resourcePolicy(route));
    const call = new Call(exchange, route.method, route.role !== undefined);
    const { authorization } = request.headers;
    if (route.caller === 'ignored' && authorization !== undefined && needsAccount(limits, route.limit, exchange)) {
      // An invalid credential changes nothing.
      const resolved = await resolveBearer(ANY_CALLER, authorization, call).catch(() => undefined);
      if (resolved?.caller) exchange.accountId = resolved.caller.accountId;
    }
    limitBy(limits, route.limit, exchange);
    if (exchange.failure) throw exchange.failure.error;
    if (route.isAtRootOnly && redirectToRoot(request, response)) return;
    if (route.ownPagesOnly) checkOrigin(exchange);
    Object.assign(call, await resolveBearer(route, authorization, call));
    await route.run(request, response, call, reserveBody);
  };

  // Express adds the methods of its requests and responses. The route is known before.
  const withExpress = express().disable('x-powered-by').disable('etag').disable('query parser');
  withExpress.use((request, response) =>
    handleRequest(request, response).catch((error: unknown) => sendError(error, request.exchange)),
  );
  return { listener, paths: [...new Set(routes.map(({ path }) => path))] };
}
