import type { Request } from 'express';
import { clientShares } from '@esd/service/client-shares';
import type { GatewayConfig } from '../../config.ts';
import { clientAt } from './client-ip.ts';
import { hasBody } from './has-body.ts';

/** Settings of the budgets of bodies. */
export type BodyConfig = Pick<GatewayConfig, 'ESD_BODIES_CLIENT_MB' | 'ESD_BODIES_MB'>;

/**
 * Counts the body of a request before it is read, by its announced length or, without one, by the limit of its route; what it
 * returns gives the room back. Throws RATE_LIMITED where the client's unfinished bodies would take more than its share, and
 * UNAVAILABLE where those of all clients would.
 */
export type BodyBudget = (request: Request, limit: number) => () => void;

const MEGABYTE = 1024 * 1024;
const RETRY_SECONDS = 2;

/** Makes the budgets of bodies of this process. */
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
    return budget.take(`address ${block}`, bytes, network);
  };
}
