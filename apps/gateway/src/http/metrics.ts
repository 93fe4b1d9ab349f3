import { Histogram } from 'prom-client';
import { metrics } from '@esd/service/health/metrics';
import type { Exchange } from './exchange.ts';

const requestSeconds = new Histogram({
  name: 'esd_http_request_seconds',
  help: 'Duration of public HTTP requests in seconds.',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [metrics],
});

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

// Finding a series by its labels costs more than counting in it. Bounded by the number of series.
const series = new Map<string, ReturnType<typeof requestSeconds.labels>>();

/** Records the duration of a request by the pattern of its route, which limits the number of series. */
export function observeAnswer({ route, request, response }: Exchange, ms: number): void {
  const path = route?.path ?? 'none';
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
  const status = response.writableFinished ? response.statusCode : 'cut';
  const key = `${method} ${status} ${path}`;
  let one = series.get(key);
  if (!one) series.set(key, (one = requestSeconds.labels({ route: path, method, status })));
  one.observe(ms / 1000);
}
