import type { Request } from 'express';
import { clientShares } from '@esd/service/client-shares';
import type { GatewayConfig } from '../config.ts';
import { rejectedRequests } from '../http/limits/rejected-requests.ts';
import { clientAt } from '@esd/service/auth/client';
import { hasBody } from '../http/has-body.ts';

export type BodyConfig = Pick<GatewayConfig, 'ESD_BODIES_CLIENT_MB' | 'ESD_BODIES_MB'>;

/**
 * Reserves memory for the body of a request before it is read: its Content-Length, or else the limit of its route. Returns
 * the function that releases it. Throws RATE_LIMITED if the unfinished bodies of the client exceed its share, and
 * UNAVAILABLE if those of all clients exceed the total.
 */
export type BodyBudget = (request: Request, limit: number) => () => void;

const MEGABYTE = 1024 * 1024;
const RETRY_SECONDS = 2;

export function bodyBudget({ ESD_BODIES_CLIENT_MB, ESD_BODIES_MB }: BodyConfig): BodyBudget {
  const budget = clientShares({
    name: 'bytes of unfinished request bodies',
    max: ESD_BODIES_MB * MEGABYTE,
    maxOfClient: ESD_BODIES_CLIENT_MB * MEGABYTE,
    retryAfterSeconds: RETRY_SECONDS,
  });
  return (request, limit) => {
    const announced = request.headers['content-length'];
    const bytes = hasBody(request) ? Math.min(limit, announced === undefined ? limit : Number(announced)) : 0;
    const { block, network } = clientAt(request.exchange.ip ?? '');
    try {
      return budget.acquire(`address ${block}`, bytes, network);
    } catch (error) {
      rejectedRequests.inc({ reason: 'bodies' });
      throw error;
    }
  };
}
