import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientIp, clientScheme, type TrustedProxies } from './limits/client-ip.ts';
import type { LimitClass, Limited } from './limits/rate-limits.ts';

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
  route?: { readonly path: string; readonly limit: LimitClass | 'none' };
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

  /** See `clientScheme`. */
  get scheme(): 'http' | 'https' {
    return clientScheme(this.request, this.#isTrusted);
  }
}
