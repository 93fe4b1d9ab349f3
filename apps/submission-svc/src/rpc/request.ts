import type { CallContext } from '@esd/service/rpc/rpc-server';
import type { RecordRequest } from '../records/context.ts';

/** The part of a call that every use case on records needs. */
export function requestOf({ client, requestId, deadline, signal }: CallContext): RecordRequest {
  return { client, requestId, deadline, signal };
}
