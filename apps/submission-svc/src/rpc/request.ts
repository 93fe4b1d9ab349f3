import type { CallContext } from '@esd/service/rpc/rpc-server';
import type { RecordRequest } from '../records/context.ts';

export function requestOf({ client, requestId, deadline, signal }: CallContext): RecordRequest {
  return { client, requestId, deadline, signal };
}
