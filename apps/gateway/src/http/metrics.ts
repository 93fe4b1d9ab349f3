import { counter, gauge, histogram } from '@esd/service/health/metrics';
import type { Exchange } from './exchange.ts';

const requests = counter('esd_http_requests_total');
const duration = histogram('esd_http_request_duration_seconds');
const inFlight = gauge('esd_http_in_flight');

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

// Finding a series by its labels costs more than counting in it. Bounded by the number of series.
const series = new Map<string, { count: () => void; observe: (seconds: number) => void }>();

export function requestBegins(): void {
  inFlight.inc();
}

/** Counts a request and records its duration by the pattern of its route, which limits the number of series. */
export function requestEnds({ route, request, response }: Exchange, ms: number): void {
  inFlight.dec();
  const { statusCode } = response;
  // A known path with a method that it does not have would add a series for each of its wrong methods.
  const path = statusCode === 405 ? 'none' : (route?.path ?? 'none');
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
  const code = response.writableFinished ? String(statusCode) : 'aborted';
  const key = `${method} ${code} ${path}`;
  let one = series.get(key);
  if (!one) {
    const counted = requests.labels({ route: path, method, code });
    const timed = duration.labels({ route: path });
    one = {
      count: () => {
        counted.inc();
      },
      observe: (seconds) => {
        timed.observe(seconds);
      },
    };
    series.set(key, one);
  }
  one.count();
  one.observe(ms / 1000);
}
