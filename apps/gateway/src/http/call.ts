import type { ServerResponse } from 'node:http';
import type { Caller } from '@esd/service/auth/caller-assertion';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { Exchange } from './exchange.ts';

/** The HTTP methods of the interface. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What goes with every call that a request makes to the services. */
export interface Call extends CallOptions {
  requestId: string;
  deadline: number;
  signal: AbortSignal;
  /** The address of the client, as far as the trusted proxies report it. */
  clientIp?: string | undefined;
  /** Who calls; undefined where nobody presented a credential. */
  caller?: Caller | undefined;
  /** The newest state of the dataset that any caller has seen here. */
  stateSeen?: DatasetRevision | undefined;
}

const READ_MS = 10_000;
const WRITE_MS = 30_000;

/** Opens the call of a request: it ends when the caller goes, or at the deadline, 10 s for reads and 30 s for writes. */
export function openCall({ requestId, ip, response }: Exchange, method: Method): Call {
  let gone: AbortController | undefined;
  return {
    requestId,
    deadline: Date.now() + timeFor(method),
    clientIp: ip,
    // Made for those who look at it: many an answer needs no call.
    get signal() {
      gone ??= goneSignal(response);
      return gone.signal;
    },
  };
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
