import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import { metrics } from '@esd/service/health/metrics';

const requestSeconds = new Histogram({
  name: 'esd_http_request_seconds',
  help: 'Duration of public HTTP requests in seconds.',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [metrics],
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and times every request by its route's pattern, so that the number of series stays small. */
export const requestMetrics: RequestHandler = (request, response, next) => {
  const started = performance.now();
  response.once('close', () => {
    const route: unknown = request.route;
    const known = typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';
    requestSeconds.observe(
      {
        route: known ? String(route.path) : 'none',
        method: METHODS.has(request.method) ? request.method : 'other',
        status: response.writableFinished ? response.statusCode : 'cut',
      },
      (performance.now() - started) / 1000,
    );
  });
  next();
};
