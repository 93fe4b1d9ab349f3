import { status } from '@grpc/grpc-js';
import { ATTRIBUTE, errorType, type OpenSpan, startSpan } from '../health/traces.ts';

/** Starts the span of an attempt to call a method, or of the same call in the called service. `address` is its target. */
export function startRpcSpan(
  kind: 'CLIENT' | 'SERVER',
  path: string,
  address: string,
  contexts?: readonly unknown[],
): OpenSpan {
  const name = path.slice(1);
  return startSpan({
    kind,
    name,
    attributes: () => ({
      [ATTRIBUTE.rpcSystem]: 'grpc',
      [ATTRIBUTE.rpcMethod]: name,
      [ATTRIBUTE.serverAddress]: hostOf(address),
    }),
    ...(contexts ? { contexts } : {}),
  });
}

/** Ends the span of a call with its gRPC status, OK by default. */
export function endRpcSpan(span: OpenSpan, code: status = status.OK, failure?: unknown): void {
  span.end({ [ATTRIBUTE.rpcStatus]: status[code] }, failure === undefined ? undefined : errorType(failure));
}

/** Returns the host of a gRPC target or authority, such as `dns:///dataset-svc:50051`; the first one of several. */
function hostOf(address: string): string {
  const [first = ''] = address.replace(/^[a-z0-9]+:(?:\/\/[^/]*\/)?(?=.*:)/, '').split(',');
  return first.replace(/:\d+$/, '');
}
