import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@esd/service/health/log';
import type { GatewayConfig } from '../config.ts';
import { logAnswer } from './access-log.ts';
import { clientIp, type TrustedProxies, trustedProxies } from './limits/client-ip.ts';
import type { Limited } from './limits/rate-limits.ts';
import { observeAnswer } from './metrics.ts';
import { publicRoot } from './public-url.ts';
import type { Route } from './route.ts';

declare module 'express-serve-static-core' {
  interface Request {
    exchange: Exchange;
  }
}

/** A request and its answer, as every part of the gateway sees them, before Express and within it. */
export class Exchange {
  /** The gateway's own id of the request: in the answer, in every log, and in the calls to the services. A name that the caller sends is not believed, so that two requests never share one. */
  readonly requestId = randomUUID();
  readonly startedAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The URL as it was asked for. */
  readonly url: string;
  /** The route that answers, or the path that has no such method; absent until one is found. */
  route?: Pick<Route, 'path' | 'limit'>;
  /** What its limit says, once it was counted. */
  limited?: Limited;
  /** Why it can't be answered, where that was found before its route was. */
  failure?: { error: unknown };
  /** See `publicRoot`. */
  readonly publicRoot: string;
  readonly #isTrusted: TrustedProxies;
  #ip: { address: string | undefined } | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, publicRoot: string, isTrusted: TrustedProxies) {
    this.request = request;
    this.response = response;
    this.url = request.url ?? '';
    this.publicRoot = publicRoot;
    this.#isTrusted = isTrusted;
  }

  /** The address of the client, see `clientIp`. */
  get ip(): string | undefined {
    this.#ip ??= { address: clientIp(this.request, this.#isTrusted) };
    return this.#ip.address;
  }
}

/** Makes the exchange of each request; when its answer ends, it gets its line in the log and counts in the metrics. */
export function exchanges(
  config: Pick<GatewayConfig, 'ESD_TRUSTED_PROXIES' | 'ESD_PUBLIC_URL'>,
  accessLog: Logger,
): (request: IncomingMessage, response: ServerResponse) => Exchange {
  const isTrusted = trustedProxies(config.ESD_TRUSTED_PROXIES);
  const root = publicRoot(config.ESD_PUBLIC_URL);
  return (request, response) => {
    const exchange = new Exchange(request, response, root, isTrusted);
    response.once('close', () => {
      const ms = performance.now() - exchange.startedAt;
      logAnswer(accessLog, exchange, ms);
      observeAnswer(exchange, ms);
    });
    return exchange;
  };
}
