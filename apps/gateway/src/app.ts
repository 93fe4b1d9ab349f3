import express, { type Express, type RequestHandler, Router } from 'express';
import type { Logger } from '@esd/service/health/log';
import type { Readiness } from '@esd/service/health/readiness';
import type { GatewayConfig } from './config.ts';
import { logRequests } from './http/access-log.ts';
import { bearerResolver } from './http/bearer.ts';
import { openCall } from './http/call.ts';
import { cors, preflight } from './http/cors.ts';
import { errorHandler, notFound } from './http/errors.ts';
import { bodyBudget } from './http/limits/body-budget.ts';
import { rateLimits } from './http/limits/rate-limits.ts';
import { requestMetrics } from './http/metrics.ts';
import { otherMethods } from './http/other-methods.ts';
import { publicRoot } from './http/public-url.ts';
import { requestId } from './http/request-id.ts';
import type { Route } from './http/route.ts';
import { resourcePolicy, securityHeaders } from './http/security-headers.ts';
import { wellFormedPath } from './http/well-formed-path.ts';
import { allRoutes } from './routes/all-routes.ts';
import type { Upstream } from './upstream/upstream.ts';

export interface AppOptions {
  config: GatewayConfig;
  upstream: Upstream;
  readiness: Readiness;
  log: Logger;
  /** Where the line of each request goes. */
  accessLog: Logger;
}

/** The public interface as an Express application. Every request passes these handlers in this order. */
export function createApp({ config, upstream, readiness, log, accessLog }: AppOptions): Express {
  const app = express();
  app.set('trust proxy', config.ESD_TRUSTED_PROXIES).set('case sensitive routing', true);
  app.disable('x-powered-by').disable('etag').disable('query parser');

  app.use(requestId, publicRoot(config.ESD_PUBLIC_URL), logRequests(accessLog), requestMetrics);
  const limits = rateLimits(config);
  const other = limits('other');
  app.use(securityHeaders(config), cors(config.ESD_CORS_ORIGINS), preflight(other), wellFormedPath(other));

  const budget = bodyBudget(config);
  const resolveBearer = bearerResolver(upstream.identity);
  const answer = (route: Route): RequestHandler => {
    return async (request, response) => {
      const call = openCall(request, response, route.method);
      Object.assign(call, await resolveBearer(route, request.headers.authorization, call));
      // Checks query, path and body (type, size, depth), then does the work.
      await route.run(request, response, call, budget);
    };
  };
  const router = Router({ caseSensitive: true });
  for (const [path, methods] of Map.groupBy(allRoutes({ config, upstream, readiness }), (route) => route.path)) {
    const place = router.route(path);
    for (const route of methods) place[route.method](resourcePolicy(route), ...limits(route.limit), answer(route));
    place.all(...other, otherMethods(methods));
  }
  app.use('/api', router);
  app.use(router);

  app.use(...other, notFound);
  app.use(errorHandler(log));
  return app;
}
