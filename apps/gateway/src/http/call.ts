import type { ServerResponse } from 'node:http';
import type { Caller } from '@esd/service/auth/caller-assertion';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Method } from '@esd/api/operation';
import type { Exchange } from './exchange.ts';

const READ_MS = 10_000;
export const WRITE_MS = 30_000;

/**
 * Options of the service calls of a request: the deadline is 10 s (reads) or 30 s (writes) after its start, and the signal
 * aborts when the caller disconnects. A client can end a call earlier (`timeoutMs`).
 */
export class Call implements CallOptions {
  readonly requestId: string;
  deadline: number;
  readonly clientIp: string | undefined;
  assertions: CallOptions['assertions'];
  caller: Caller | undefined;
  /** The newest dataset state that any caller of this gateway has seen. Set only for streams, which must not be older. */
  stateSeen: DatasetRevision | undefined;
  /** Whether the route requires a role, so that its calls use the reserved slots. */
  readonly isReserved: boolean;
  readonly #response: ServerResponse;
  #disconnected: AbortController | undefined;

  constructor({ requestId, ip, response }: Exchange, method: Method, isReserved = false) {
    this.requestId = requestId;
    this.deadline = Date.now() + timeFor(method);
    this.clientIp = ip;
    this.#response = response;
    this.isReserved = isReserved;
  }

  // Created on demand, because many responses need no call. In an object literal, a getter would give each object its own
  // shape, which lives until the next full garbage collection.
  get signal(): AbortSignal {
    this.#disconnected ??= disconnectSignal(this.#response);
    return this.#disconnected.signal;
  }
}

function disconnectSignal(response: ServerResponse): AbortController {
  const disconnected = new AbortController();
  const end = (): void => {
    if (!response.writableFinished) disconnected.abort();
  };
  if (response.closed) end();
  else response.once('close', end);
  return disconnected;
}

/** Returns the maximum processing time of a request in milliseconds. */
export function timeFor(method: Method): number {
  return method === 'get' ? READ_MS : WRITE_MS;
}
