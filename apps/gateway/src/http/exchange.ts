import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientIp, clientScheme, type TrustedProxies } from './limits/client-ip.ts';
import type { LimitClass } from '@esd/api/operation';
import type { Limited } from './limits/rate-limits.ts';

declare module 'express-serve-static-core' {
  interface Request {
    exchange: Exchange;
  }
}

/** An answered request, for the access log and the metrics. */
export interface Answered {
  requestId: string;
  method: string;
  url: string;
  route?: { readonly path: string } | undefined;
  status: number;
  /** Whether the whole response was sent. */
  isComplete: boolean;
}

export class Exchange {
  /** The id in the response, the logs and the service calls. Client-supplied ids are ignored, so that ids are unique. */
  readonly requestId = randomUUID();
  readonly startedAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The requested URL. */
  readonly url: string;
  /** The route, or a known path without that method; absent until it is found. */
  route?: { readonly path: string; readonly limit: LimitClass | 'none' };
  /** The result of rate limiting, once the request was counted. */
  limited?: Limited;
  /** The account for which the request counts if its address has used up a limit. */
  accountId?: string;
  /** The error, if it occurred before routing. */
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

  get answered(): Answered {
    const { requestId, request, response, url, route } = this;
    const { statusCode: status, writableFinished: isComplete } = response;
    return { requestId, method: request.method ?? '', url, route, status, isComplete };
  }

  get scheme(): 'http' | 'https' {
    return clientScheme(this.request, this.#isTrusted);
  }
}
