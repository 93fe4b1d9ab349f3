import type { Exchange } from '../exchange.ts';
import { setHeaders } from '../raw-headers.ts';
import type { LimitClass, RateLimits } from './rate-limits.ts';

/** Counts a request, unless it was already, and says in its answer what is left. Throws RATE_LIMITED. */
export function limitBy(limits: RateLimits, limit: LimitClass | 'none', exchange: Exchange): void {
  exchange.limited ??= limits(limit, exchange.ip);
  const { headers, refusal } = exchange.limited;
  setHeaders(exchange.response, headers);
  if (refusal) throw refusal;
}
