import { clientShares } from '@esd/service/client-shares';
import type { GatewayConfig } from '../config.ts';
import { rejectedRequests } from '../http/metrics.ts';
import { clientAt } from '@esd/service/quota-client';
import type { ReserveBody } from '../http/route.ts';
import { hasBody } from '../http/has-body.ts';

export type BodyConfig = Pick<GatewayConfig, 'ESD_BODIES_CLIENT_MB' | 'ESD_BODIES_MB'>;

const MEGABYTE = 1024 * 1024;
const RETRY_SECONDS = 2;

/** Creates the step that reserves memory for a body, within the total and the share of its client. */
export function bodyBudget({ ESD_BODIES_CLIENT_MB, ESD_BODIES_MB }: BodyConfig): ReserveBody {
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
