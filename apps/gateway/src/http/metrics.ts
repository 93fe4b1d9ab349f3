import type { Counter, Histogram } from '@prometheus-io/client';
import { counter, gauge, histogram } from '@esd/service/health/metrics';
import { HTTP_METHODS } from '@esd/service/names/http-methods';
import type { Answered } from './exchange.ts';

const requests = counter('esd_http_requests_total');
const duration = histogram('esd_http_request_duration_seconds');
const inFlight = gauge('esd_http_in_flight');
/** Requests refused by a limit of the gateway, by reason. */
export const rejectedRequests = counter('esd_http_rejected_total');

// Finding a series by its labels costs more than counting in it. Bounded by the number of series.
const series = new Map<string, { counted: Counter.Internal; timed: Histogram.Internal<'route'> }>();

export function requestBegins(): void {
  inFlight.inc();
}

/** Counts a request and records its duration by the pattern of its route, which limits the number of series. */
export function requestEnds({ route, method: sent, status, isComplete }: Answered, ms: number): void {
  inFlight.dec();
  // A known path with a method that it does not have would add a series for each of its wrong methods.
  const path = status === 405 ? 'none' : (route?.path ?? 'none');
  const method = HTTP_METHODS.includes(sent) ? sent : 'other';
  const code = isComplete ? String(status) : 'aborted';
  const key = `${method} ${code} ${path}`;
  let one = series.get(key);
  if (!one) {
    one = { counted: requests.labels({ route: path, method, code }), timed: duration.labels({ route: path }) };
    series.set(key, one);
  }
  one.counted.inc();
  one.timed.observe(ms / 1000);
}
