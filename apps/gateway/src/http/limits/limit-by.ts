import type { Exchange } from '../exchange.ts';
import { setHeaders } from '../raw-headers.ts';
import type { LimitClass } from '@esd/api/operation';
import type { RateLimits } from './rate-limits.ts';
import { rejectedRequests } from '../metrics.ts';

type Limit = LimitClass | 'none';

/** Returns the class in which a request of a route counts first. An analysis counts as a read at first. */
export const firstClass = (limit: Limit): Limit => (limit === 'analysis' ? 'reads' : limit);

/** Returns whether a request is beyond the limit of its address, so that it must count for an account. */
export function needsAccount(limits: RateLimits, limit: Limit, { ip }: Exchange): boolean {
  return limits.isUsedUp(firstClass(limit), ip) || limits.isUsedUp('analysis', ip);
}

/** Counts a request once and sets its rate-limit headers. Throws RATE_LIMITED. */
export function limitBy(limits: RateLimits, limit: Limit, exchange: Exchange): void {
  apply(limits, firstClass(limit), exchange, (exchange.limited ??= limits(firstClass(limit), exchange.ip)));
}

/** Counts a request in a second class, in addition to that of its route. Throws RATE_LIMITED. */
export function limitBySecondClass(limits: RateLimits, limit: LimitClass, exchange: Exchange): void {
  apply(limits, limit, exchange, limits(limit, exchange.ip));
}

function apply(limits: RateLimits, limit: Limit, exchange: Exchange, ofAddress: ReturnType<RateLimits>): void {
  const { accountId, ip, response } = exchange;
  const counted = ofAddress.canUseAccount && accountId !== undefined ? limits(limit, ip, accountId) : ofAddress;
  exchange.limited = counted;
  setHeaders(response, counted.headers);
  if (!counted.refusal) return;
  rejectedRequests.inc({ reason: 'rate' });
  throw counted.refusal;
}
