import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import type { Request, Response } from 'express';
import type { Caller } from '@esd/service/auth/caller-assertion';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import { clientIp } from './limits/client-ip.ts';

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
export function openCall(request: Request, response: Response, method: Method): Call {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return {
    requestId: request.requestId,
    deadline: Date.now() + timeFor(method),
    signal: gone.signal,
    clientIp: clientIp(request),
  };
}

/** How long the work of a request may take, in milliseconds. */
export function timeFor(method: Method): number {
  return method === 'get' ? READ_MS : WRITE_MS;
}
