import type { RequestHandler } from 'express';
import { ServiceError } from '@esd/service/errors';
import { limitBy } from './limits/limit-by.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { oneOf } from './requirement.ts';
import type { Route } from './route.ts';

/** Answers OPTIONS with the allowed methods of a path, and other methods with 405. Counts them in the class `other`. */
export function otherMethods(path: string, routes: readonly Route[], limits: RateLimits): RequestHandler {
  const methods = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const allowed = [...new Set(methods), 'OPTIONS'];
  const allow = allowed.join(', ');
  return (request, response) => {
    request.exchange.route = { path, limit: 'other' };
    limitBy(limits, 'other', request.exchange);
    response.setHeader('Allow', allow);
    if (request.method !== 'OPTIONS') {
      throw new ServiceError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use ${oneOf(allowed)}.`);
    }
    response.status(204).end();
  };
}
