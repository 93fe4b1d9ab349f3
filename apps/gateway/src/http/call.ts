import type { ServerResponse } from 'node:http';
import type { Caller } from '@esd/service/auth/caller-assertion';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Exchange } from './exchange.ts';

/** The HTTP methods of the interface. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

const READ_MS = 10_000;
const WRITE_MS = 30_000;

/**
 * What goes with every call that a request makes to the services: it ends when the caller goes, or at the deadline, 10 s for
 * reads and 30 s for writes.
 */
export class Call implements CallOptions {
  readonly requestId: string;
  deadline: number;
  /** The address of the client, as far as the trusted proxies report it. */
  readonly clientIp: string | undefined;
  assertions: CallOptions['assertions'];
  /** Who calls; undefined where nobody presented a credential. */
  caller: Caller | undefined;
  /** The newest state of the dataset that any caller has seen here. */
  stateSeen: DatasetRevision | undefined;
  readonly #response: ServerResponse;
  #gone: AbortController | undefined;

  constructor({ requestId, ip, response }: Exchange, method: Method) {
    this.requestId = requestId;
    this.deadline = Date.now() + timeFor(method);
    this.clientIp = ip;
    this.#response = response;
  }

  // Made for those who look at it: many an answer needs no call. Not in an object literal, where a getter gives each object a
  // shape of its own, which lives until the next full collection of garbage.
  get signal(): AbortSignal {
    this.#gone ??= goneSignal(this.#response);
    return this.#gone.signal;
  }
}

function goneSignal(response: ServerResponse): AbortController {
  const gone = new AbortController();
  const end = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) end();
  else response.once('close', end);
  return gone;
}

/** How long the work of a request may take, in milliseconds. */
export function timeFor(method: Method): number {
  return method === 'get' ? READ_MS : WRITE_MS;
}
