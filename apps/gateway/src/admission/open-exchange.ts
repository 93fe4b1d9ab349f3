import type { IncomingMessage, ServerResponse } from 'node:http';
import { startRequestSpan } from '@esd/service/http/http-span';
import type { Logger } from '@esd/service/health/log';
import type { OpenSpan } from '@esd/service/health/traces';
import type { GatewayConfig } from '../config.ts';
import { logAnswer } from '../http/access-log.ts';
import { Exchange } from '../http/exchange.ts';
import { trustedProxies } from '../http/limits/client-ip.ts';
import { requestBegins, requestEnds } from '../http/metrics.ts';
import { publicRoot } from '../http/public-url.ts';

/** Creates the exchange and the span of each request, which is logged and measured when its response ends. */
export function exchanges(
  config: Pick<GatewayConfig, 'ESD_TRUSTED_PROXIES' | 'ESD_PUBLIC_URL'>,
  accessLog: Logger,
): (request: IncomingMessage, response: ServerResponse) => { exchange: Exchange; span: OpenSpan } {
  const isTrusted = trustedProxies(config.ESD_TRUSTED_PROXIES);
  const root = publicRoot(config.ESD_PUBLIC_URL);
  return (request, response) => {
    const exchange = new Exchange(request, response, root, isTrusted);
    const span = startRequestSpan(request, response, exchange.requestId, () => exchange.route?.path);
    requestBegins();
    response.once('close', () => {
      const ms = performance.now() - exchange.startedAt;
      const { answered } = exchange;
      span.run(() => {
        logAnswer(accessLog, answered, ms);
      });
      requestEnds(answered, ms);
    });
    return { exchange, span };
  };
}
