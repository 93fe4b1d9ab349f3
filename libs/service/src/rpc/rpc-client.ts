import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  credentials,
  Metadata,
  type CallOptions as GrpcCallOptions,
} from '@grpc/grpc-js';
import { ServiceError, toServiceError } from '../errors.ts';
import { rpcTargetOf } from '../auth/call-target.ts';
import { callLimits, type CallLimits } from './call-limit.ts';
import { type OpenSpan, TRACEPARENT } from '../health/traces.ts';
import { fromGrpcError } from './rpc-errors.ts';
import { METADATA } from './rpc-metadata.ts';
import { endRpcSpan, startRpcSpan } from './rpc-span.ts';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';
import type { AnyMethod, RpcDefinition, RpcMethods } from './rpc-types.ts';
import { counter } from '../health/metrics.ts';
import type { ServiceName } from '../names/services.ts';
import type { ServiceAssertions } from '../auth/service-assertion.ts';
import type { Tls } from '../auth/tls.ts';

export interface CallOptions {
  requestId: string;
  /** The caller assertions by target (see `IncomingCall`); each is sent to its own target only. */
  assertions?: ReadonlyMap<string, string> | undefined;
  /** The IP address of the gateway's client. */
  clientIp?: string | undefined;
  /** The deadline of the served request, in milliseconds since 1970; the call ends 50 ms before it. */
  deadline?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Whether the call uses the reserved slots (see `CallLimit`): those of routes that require a role, and of state checks. */
  isReserved?: boolean | undefined;
}

export type RpcClient<Definition> = RpcMethods<Definition, CallOptions> & { readonly channel: Client };

export interface RpcClientOptions<Definition> {
  /** The called service, for the metrics. */
  service: ServiceName;
  target: string;
  serviceAssertions: ServiceAssertions;
  /** The limits of this process; by default those of this client alone. */
  limits?: CallLimits;
  /** Plain text if absent. The certificate must have the name or address in `target`. */
  tls?: Tls | undefined;
  /** The name that the certificate must have instead of the name in `target`. */
  serverName?: string | undefined;
  /** Timeout of a unary call; 5 s by default. */
  timeoutMs?: number;
  /** Interval of pings; 5 s by default. */
  pingMs?: number;
  /** Maximum bytes in flight to this client; 4 MiB by default. */
  windowBytes?: number;
  /**
   * Methods without side effects. A call is retried up to three times within a second if its replica is unavailable, on
   * another replica if possible, within the budget of retries. A refusal with `Retry-After` is never retried.
   */
  retry?: readonly (keyof Definition)[];
  /** Methods that wait in a fair queue of the service. They take no slot, because their clients take turns there. */
  queued?: readonly (keyof Definition)[];
}

const requests = counter('esd_rpc_client_requests_total');

const TIMEOUT_MS = 5_000;
// The maximum time until a restarted replica is found.
const MAX_BACKOFF_MS = 250;
// The first pause lets the channel detect that its replica is gone; the others bridge the restart of a single replica.
const RETRY_PAUSES_MS = [25, 100, 250];
const QUICK_MS = 1_000;
// Lets the called service report its timeout before the outer deadline expires.
const SHAVE_MS = 50;
const IDLE_STREAM_MS = 30_000;

// Removes an unresponsive replica after seven seconds.
const KEEPALIVE: ChannelOptions = {
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
};

/**
 * Streams use separate connections without pings. grpc-js closes a connection if it cannot send a ping. It cannot send one
 * after the server has closed the connection to new calls (see `connectionMs`), while streams continue. Streams have their
 * own idle timeout.
 */
class RpcChannel extends Client {
  readonly streams: Client;

  constructor(target: string, security: ChannelCredentials, options: ChannelOptions) {
    super(target, security, { ...KEEPALIVE, ...options });
    this.streams = new Client(target, security, options);
  }

  override close(): void {
    this.streams.close();
    super.close();
  }
}

export function rpcClient<Definition extends RpcDefinition>(
  definition: Definition,
  options: RpcClientOptions<Definition>,
): RpcClient<Definition> {
  const security = options.tls ? credentials.createSsl(options.tls.ca) : credentials.createInsecure();
  const channel = new RpcChannel(options.target, security, {
    ...TRANSPORT_OPTIONS,
    ...(options.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': options.serverName }),
    ...(options.pingMs === undefined ? {} : { 'grpc.keepalive_time_ms': options.pingMs }),
    ...(options.windowBytes === undefined ? {} : { 'grpc-node.flow_control_window': options.windowBytes }),
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': MAX_BACKOFF_MS,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
  });
  const retried = new Set<string>((options.retry ?? []).map(String));
  const queued = new Set<string>((options.queued ?? []).map(String));
  const limit = (options.limits ?? callLimits())(options.service);
  const methods: Record<string, unknown> = {};
  const count = (code: string): void => {
    requests.inc({ target: options.service, code });
  };
  for (const [name, method] of Object.entries(definition)) {
    methods[name] = method.responseStream
      ? (request: unknown, call: CallOptions) =>
          countStream(streamCall(channel.streams, method, request, call, options), count)
      : countCall(count, async (request: unknown, call: CallOptions) => {
          const send = () => unaryCall(channel, method, request, call, options);
          const attempt = queued.has(name) ? send : () => limit.run(call, send);
          const started = Date.now();
          limit.countCall();
          for (const [tries, pauseMs] of (retried.has(name) ? RETRY_PAUSES_MS : []).entries()) {
            try {
              return await attempt();
            } catch (error) {
              // An unresponsive replica would cost a full timeout per attempt.
              const isQuick = tries === 0 || Date.now() - started < QUICK_MS;
              if (!isAway(error) || !isQuick || !hasTime(call, pauseMs) || !limit.takeRetry()) throw error;
              await sleep(pauseMs);
            }
          }
          return attempt();
        });
  }
  // Safe cast: each method uses the serializers of the definition, which define the message types.
  return Object.assign(methods, { channel }) as unknown as RpcClient<Definition>;
}

function countCall<Result>(
  count: (code: string) => void,
  send: (request: unknown, call: CallOptions) => Promise<Result>,
) {
  return async (request: unknown, call: CallOptions): Promise<Result> => {
    try {
      const result = await send(request, call);
      count('OK');
      return result;
    } catch (error) {
      count(toServiceError(error).code);
      throw error;
    }
  };
}

async function* countStream(messages: AsyncGenerator<unknown>, count: (code: string) => void): AsyncGenerator<unknown> {
  let code = 'OK';
  try {
    yield* messages;
  } catch (error) {
    ({ code } = toServiceError(error));
    throw error;
  } finally {
    count(code);
  }
}

/** Returns whether the replica is unavailable. A service that refuses a call deliberately sends `Retry-After`. */
function isAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UNAVAILABLE' && error.retryAfterSeconds === undefined;
}

function hasTime({ signal, deadline = Infinity }: CallOptions, pauseMs: number): boolean {
  return !(signal?.aborted ?? false) && Date.now() + pauseMs + SHAVE_MS < deadline;
}

type Settings = Pick<RpcClientOptions<never>, 'serviceAssertions' | 'target' | 'timeoutMs'>;

function metadataFor(path: string, call: CallOptions, { serviceAssertions }: Settings, span: OpenSpan): Metadata {
  const { target } = rpcTargetOf(path);
  const metadata = new Metadata();
  metadata.set(METADATA.requestId, call.requestId);
  for (const [name, value] of Object.entries(serviceAssertions(target))) metadata.set(name, value);
  const assertion = call.assertions?.get(target);
  if (assertion !== undefined) metadata.set(METADATA.assertion, assertion);
  if (call.clientIp !== undefined) metadata.set(METADATA.clientIp, call.clientIp);
  if (span.traceparent !== undefined) metadata.set(TRACEPARENT, span.traceparent);
  return metadata;
}

function unaryCall(
  channel: Client,
  method: AnyMethod,
  request: unknown,
  call: CallOptions,
  settings: Settings,
): Promise<unknown> {
  const left = call.deadline === undefined ? Infinity : call.deadline - SHAVE_MS - Date.now();
  if (left <= 0)
    return Promise.reject(new ServiceError('UNAVAILABLE', 'The deadline of the request is too close; try again.'));
  const options: GrpcCallOptions = { deadline: Date.now() + Math.min(left, settings.timeoutMs ?? TIMEOUT_MS) };
  const span = startRpcSpan('CLIENT', method.path, settings.target);
  return new Promise((resolve, reject) => {
    const stopListening = (): void => {
      call.signal?.removeEventListener('abort', cancel);
    };
    const running = channel.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      metadataFor(method.path, call, settings, span),
      options,
      (error, response) => {
        stopListening();
        const failure = error ? fromGrpcError(error) : undefined;
        endRpcSpan(span, error?.code, failure);
        if (failure) reject(failure);
        else resolve(response);
      },
    );
    const cancel = (): void => {
      running.cancel();
    };
    if (call.signal?.aborted) cancel();
    else call.signal?.addEventListener('abort', cancel, { once: true });
  });
}

async function* streamCall(
  channel: Client,
  method: AnyMethod,
  request: unknown,
  call: CallOptions,
  settings: Settings,
): AsyncGenerator<unknown> {
  const span = startRpcSpan('CLIENT', method.path, settings.target);
  const running = channel.makeServerStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    metadataFor(method.path, call, settings, span),
  );
  const cancel = (): void => {
    running.cancel();
  };
  // Runs only while waiting for the server; a slow reader does not count.
  const idle = setTimeout(cancel, IDLE_STREAM_MS);
  if (call.signal?.aborted) cancel();
  else call.signal?.addEventListener('abort', cancel, { once: true });
  try {
    const messages: AsyncIterator<unknown> = running[Symbol.asyncIterator]();
    for (;;) {
      idle.refresh();
      const next = await messages.next();
      clearTimeout(idle);
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    const failure = isGrpcError(error) ? fromGrpcError(error) : error;
    endRpcSpan(span, isGrpcError(error) ? error.code : undefined, failure);
    throw failure;
  } finally {
    // Also if the reader stops early.
    endRpcSpan(span);
    clearTimeout(idle);
    call.signal?.removeEventListener('abort', cancel);
    running.cancel();
  }
}

function isGrpcError(error: unknown): error is Parameters<typeof fromGrpcError>[0] {
  return error instanceof Error && 'metadata' in error && error.metadata instanceof Metadata;
}
