import type { Exchange } from '../exchange.ts';
import { setHeaders } from '../raw-headers.ts';
import type { LimitClass, Limited, RateLimits } from './rate-limits.ts';

/** Counts a request once and sets its rate-limit headers. An analysis counts as a read at first. Throws RATE_LIMITED. */
export function limitBy(limits: RateLimits, limit: LimitClass | 'none', exchange: Exchange): void {
  exchange.limited ??= limits(limit === 'analysis' ? 'reads' : limit, exchange.ip);
  apply(exchange.limited, exchange);
}

/** Counts a request in a second class, in addition to that of its route. Throws RATE_LIMITED. */
export function limitBySecondClass(limits: RateLimits, limit: LimitClass, exchange: Exchange): void {
  exchange.limited = limits(limit, exchange.ip);
  apply(exchange.limited, exchange);
}

function apply({ headers, refusal }: Limited, exchange: Exchange): void {
  setHeaders(exchange.response, headers);
  if (refusal) throw refusal;
}
