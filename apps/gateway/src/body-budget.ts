import type { Request } from 'express';
import { ServiceError } from '@esd/service/errors';
import { clientIp } from './client-ip.ts';
import type { GatewayConfig } from './config.ts';
import { hasBody } from './has-body.ts';
import { type Share, shares } from './shares.ts';

/** Settings of the budgets of bodies. */
export type BodyConfig = Pick<GatewayConfig, 'ESD_BODIES_CLIENT_MB' | 'ESD_BODIES_MB'>;

/**
 * Counts the body of a request before it is read, by its announced length or, without one, by the most bytes that its route takes.
 * Throws RATE_LIMITED where the client's unfinished bodies would take more than its share, and UNAVAILABLE where those of all would.
 */
export type BodyBudget = (request: Request, limit: number) => Share;

const MEGABYTE = 1024 * 1024;
const RETRY_SECONDS = 2;

/** Makes the budgets of bodies of this process. */
export function bodyBudget({ ESD_BODIES_CLIENT_MB, ESD_BODIES_MB }: BodyConfig): BodyBudget {
  const budget = shares(ESD_BODIES_CLIENT_MB * MEGABYTE, ESD_BODIES_MB * MEGABYTE);
  return (request, limit) => {
    const announced = request.headers['content-length'];
    const bytes = hasBody(request) ? Math.min(limit, announced === undefined ? limit : Number(announced)) : 0;
    const taken = budget.take(clientIp(request) ?? '', bytes);
    if (typeof taken === 'object') return taken;
    if (taken === 'client') {
      const message = `The unfinished requests of this address have bodies of more than ${ESD_BODIES_CLIENT_MB} MB; send the next when one of them is answered.`;
      throw new ServiceError('RATE_LIMITED', message, undefined, RETRY_SECONDS);
    }
    const message = 'The service is reading as many bodies as it can hold; try again.';
    throw new ServiceError('UNAVAILABLE', message, undefined, RETRY_SECONDS);
  };
}
