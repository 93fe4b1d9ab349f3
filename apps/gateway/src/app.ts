import express, { type Express, type RequestHandler, Router } from 'express';
import { ServiceError } from '@esd/service/errors';
import type { Logger } from '@esd/service/log';
import type { Readiness } from '@esd/service/readiness';
import { accessLog } from './access-log.ts';
import { bearerResolver } from './bearer.ts';
import type { GatewayConfig } from './config.ts';
import { bodyBudget, type BodyConfig } from './body-budget.ts';
import { cors, preflight } from './cors.ts';
import { datasetStates } from './dataset-states.ts';
import { errorHandler, notFound } from './errors.ts';
import { type LimitConfig, rateLimits } from './limits.ts';
import { requestMetrics } from './metrics.ts';
import { requestId } from './request-id.ts';
import { docsRoutes } from './docs.ts';
import { openApiRoute } from './openapi.ts';
import { openCall, type Route } from './route.ts';
import { adminAccountRoutes } from './routes/admin-accounts.ts';
import { accountRoutes } from './routes/accounts.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { authRoutes } from './routes/auth.ts';
import { cacheDownloadRoutes } from './routes/cache-downloads.ts';
import { contributorRoutes } from './routes/contributors.ts';
import { dataRoutes } from './routes/data.ts';
import { experimentImageRoutes } from './routes/experiment-images.ts';
import { feedbackRoutes } from './routes/feedback.ts';
import { healthRoutes } from './routes/health.ts';
import { imageRoutes } from './routes/images.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { metadataChangeRoutes } from './routes/metadata-changes.ts';
import { metadataWriteRoutes } from './routes/metadata-writes.ts';
import { ownDataRoutes } from './routes/own-data.ts';
import { moderationRoutes } from './routes/moderation.ts';
import { moderationQueueRoutes } from './routes/moderation-queue.ts';
import { parseExcelRoutes } from './routes/parse-excel.ts';
import { publicDatasetRoutes } from './routes/public-dataset.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { twoFactorRoutes } from './routes/two-factor.ts';
import { frozenVersions } from './frozen-versions.ts';
import { recordPages } from './record-pages.ts';
import { adminSubmissionRoutes } from './routes/admin-submissions.ts';
import { adminVersionRoutes } from './routes/admin-versions.ts';
import { securityTxtRoutes } from './routes/security-txt.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { versionRoutes } from './routes/versions.ts';
import { resourcePolicy, securityHeaders } from './security-headers.ts';
import type { Upstream } from './upstream.ts';
import { wellFormedPath } from './well-formed-path.ts';

interface Parts {
  config: Pick<
    GatewayConfig,
    | 'ESD_TRUSTED_PROXIES'
    | 'ESD_CORS_ORIGINS'
    | 'ESD_PAGE_CACHE_MB'
    | 'ESD_HSTS'
    | 'ESD_SECURITY_CONTACT'
    | 'ESD_PUBLIC_URL'
  > &
    LimitConfig &
    BodyConfig;
  upstream: Upstream;
  readiness: Readiness;
  log: Logger;
  /** Where the line of each request goes. */
  lines: Logger;
}

/** The public interface as an Express application. Every request passes what stands here, in this order. */
export function createApp({ config, upstream, readiness, log, lines }: Parts): Express {
  const app = express();
  app.set('trust proxy', config.ESD_TRUSTED_PROXIES).set('case sensitive routing', true);
  app.disable('x-powered-by').disable('etag').disable('query parser');

  app.use(requestId, accessLog(lines), requestMetrics);
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
  const states = datasetStates(upstream.dataset);
  const versions = frozenVersions(upstream.versions, states);
  const pages = recordPages(upstream.dataset, states, config.ESD_PAGE_CACHE_MB * 1024 * 1024);
  const routes = [
    ...healthRoutes(readiness),
    ...versionRoutes(states, versions, upstream),
    ...publicDatasetRoutes(pages, states, versions, upstream),
    ...adminVersionRoutes(upstream),
    ...snapshotRoutes(pages, states, upstream),
    ...cacheDownloadRoutes(states, upstream),
    ...analyticsRoutes(upstream),
    ...metadataRoutes(upstream),
    ...metadataWriteRoutes(upstream, states),
    ...metadataChangeRoutes(upstream),
    ...authRoutes(upstream),
    ...accountRoutes(upstream),
    ...sessionRoutes(upstream),
    ...twoFactorRoutes(upstream),
    ...tokenRoutes(upstream),
    ...adminAccountRoutes(upstream),
    ...dataRoutes(upstream),
    ...parseExcelRoutes(upstream),
    ...ownDataRoutes(upstream),
    ...experimentImageRoutes(upstream),
    ...imageRoutes(upstream),
    ...moderationQueueRoutes(upstream),
    ...moderationRoutes(upstream),
    ...adminSubmissionRoutes(upstream),
    ...contributorRoutes(upstream),
    ...feedbackRoutes(upstream),
    ...securityTxtRoutes(config),
  ];
  routes.push(openApiRoute(routes), ...docsRoutes());
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
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

/** Answers the methods that a path does not have: OPTIONS with what it has, every other one with 405. */
function otherMethods(routes: readonly Route[]): RequestHandler {
  const allowed = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const allow = [...allowed, 'OPTIONS'].join(', ');
  return (request, response) => {
    response.setHeader('Allow', allow);
    if (request.method !== 'OPTIONS') {
      throw new ServiceError('METHOD_NOT_ALLOWED', `${request.method} is not possible here; ${allow} are.`);
    }
    response.status(204).end();
  };
}
