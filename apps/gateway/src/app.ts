import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import express, { type Express, type RequestHandler, Router } from 'express';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import type { Logger } from '@esd/service/health/log';
import { parseEntityTags } from '@esd/service/http/entity-tag';
import { Overloaded } from '@esd/service/rpc/call-limit';
import type { Readiness } from '@esd/service/health/readiness';
import type { GatewayConfig } from './config.ts';
import { logAnswer } from './http/access-log.ts';
import { bearerResolver } from './http/bearer.ts';
import { Call } from './http/call.ts';
import { rawAnswer } from './http/connections/raw-answer.ts';
import { errorAnswers, errorHandler, notFound } from './http/errors.ts';
import type { Exchange } from './http/exchange.ts';
import { exchanges } from './http/open-exchange.ts';
import { rejectedRequests } from './http/limits/rejected-requests.ts';
import { bodyBudget } from './http/limits/body-budget.ts';
import { limitBy, needsAccount } from './http/limits/limit-by.ts';
import type { EarlyRefusals } from './http/connections/early-refusals.ts';
import { overloadGuard } from './overload/overload-guard.ts';
import { requestTurns } from './overload/request-turns.ts';
import { rateLimits } from './http/limits/rate-limits.ts';
import { requestBegins, requestEnds } from './http/metrics.ts';
import { otherMethods } from './http/other-methods.ts';
import { ownOriginCheck } from './http/own-origin.ts';
import { setHeaders } from './http/raw-headers.ts';
import type { Route } from './http/route.ts';
import { taggedState } from './http/state-tag.ts';
import { resourcePolicy } from './http/security-headers.ts';
import { commonHeaders, prepareRequests } from './http/common-headers.ts';
import { cachedResponses } from './cache/cached-responses.ts';
import { openPageCache } from './cache/page-cache.ts';
import { datasetStates } from './dataset/dataset-states.ts';
import { redirectToRoot, unknownPathPage } from './pages/page-route.ts';
import type { WebBundle } from './pages/web-bundle.ts';
import { allRoutes } from './routes/all-routes.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The access of a caller whose account only counts its requests. */
const ANY_CALLER = { caller: 'optional', role: undefined, targets: [] } as const;

export interface AppOptions {
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

export interface App {
  listener: RequestListener;
  earlyRefusals: EarlyRefusals;
  express: Express;
}

export function createApp({ config, upstream, readiness, web, log, accessLog, facts, operator }: AppOptions): App {
  const limits = rateLimits(config);
  const answerError = errorAnswers(log, (error, exchange) => {
    rejectedRequests.inc({ reason: 'overload' });
    overload.learn(error, exchange);
  });
  const states = datasetStates(upstream.dataset);
  const pages = openPageCache(config.ESD_PAGE_CACHE_MB * 1024 * 1024);

  const routes = allRoutes({ config, upstream, readiness, web, states, pages, limits, facts, operator });
  const overload = overloadGuard(routes, pages);

  const turns = requestTurns(config.ESD_UPSTREAM_WAIT_MS);
  const openExchange = exchanges(config, accessLog);
  const serveCached = cachedResponses(pages, states, limits);
  const app = express();
  const listener: RequestListener = (request, response) => {
    const { exchange, span } = openExchange(request, response);
    span.run(() => {
      serveCached(exchange, () => {
        const { method = '', headers } = request;
        const isRevalidation = taggedState(parseEntityTags(headers['if-none-match'])) !== undefined;
        const line = { method, url: exchange.url, isRevalidation };
        const start = (): void => {
          const refused = overload.refusalOf(line);
          if (refused) refuse(exchange, refused.error, refused.route);
          else app(Object.assign(request, { exchange }), response);
        };
        if (overload.isUrgent(line)) start();
        else {
          turns.add({
            start: () => {
              if (!response.closed) span.run(start);
            },
            refuse: () => refuse(exchange, new Overloaded()),
          });
        }
      });
    });
  };
  const setCommonHeaders = commonHeaders(config);
  // A refusal costs a fraction of the same refusal by Express.
  const refuse = (exchange: Exchange, error: Overloaded, route?: Route): void => {
    if (route) exchange.route = route;
    setCommonHeaders(exchange, exchange.url.split('?', 1)[0] ?? '');
    try {
      if (route) limitBy(limits, route.limit, exchange);
      answerError(error, exchange);
    } catch (rateLimited) {
      answerError(rateLimited, exchange);
    }
  };

  app.set('case sensitive routing', true);
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.use(prepareRequests(setCommonHeaders, limits));

  const budget = bodyBudget(config);
  const checkOrigin = ownOriginCheck(config);
  const resolveBearer = bearerResolver(upstream.identity);
  const handlerOf = (route: Route): RequestHandler => {
    const policy = resourcePolicy(route);
    return async (request, response, next) => {
      if (route.isFor?.(request) === false) {
        next();
        return;
      }
      const { exchange } = request;
      exchange.route = route;
      setHeaders(response, policy);
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
      await route.run(request, response, call, budget);
    };
  };
  const router = Router({ caseSensitive: true });
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const endpoint = router.route(path);
    for (const route of methods) endpoint[route.method](handlerOf(route));
    endpoint.all(otherMethods(path, methods, limits));
  }
  app.use('/api', router);
  app.use(router);

  app.use((request, _response, next) => {
    limitBy(limits, 'other', request.exchange);
    next();
  });
  app.use(unknownPathPage(web), notFound);
  app.use(errorHandler(answerError));
  const earlyRefusals: EarlyRefusals = {
    isRefusing: () => turns.isFull() || overload.isRefusing(),
    refuse: (line, startedAt) => {
      const isRefusedHere = turns.isFull() && !overload.isUrgent(line);
      const refusal = isRefusedHere ? { error: new Overloaded() } : overload.refusalOf(line);
      if (!refusal) return undefined;
      const requestId = randomUUID();
      rejectedRequests.inc({ reason: 'overload' });
      requestBegins();
      const answered = { requestId, ...line, route: refusal.route, status: 503, isComplete: true };
      const ms = performance.now() - startedAt;
      logAnswer(accessLog, answered, ms);
      requestEnds(answered, ms);
      return rawAnswer(refusal.error, requestId);
    },
  };
  return { listener, earlyRefusals, express: app };
}
