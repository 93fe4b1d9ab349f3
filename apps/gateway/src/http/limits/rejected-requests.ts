import { counter } from '@esd/service/health/metrics';

/** Requests refused by a limit of the gateway, by reason. */
export const rejectedRequests = counter('esd_http_rejected_total');
