import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  credentials,
  Metadata,
  type CallOptions as GrpcCallOptions,
} from '@grpc/grpc-js';
import { ServiceError } from '../errors.ts';
import { rpcTargetOf } from '../auth/call-target.ts';
import { fromGrpcError } from './rpc-errors.ts';
import { METADATA } from './rpc-metadata.ts';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';
import type { AnyMethod, RpcDefinition, RpcMethods } from './rpc-types.ts';
import type { ServiceAssertions } from '../auth/service-assertion.ts';
import type { Tls } from '../auth/tls.ts';

/** What goes along with one call. */
export interface CallOptions {
  requestId: string;
  /** The caller's assertions by target (see `ArrivingCall`), where one stands behind the call: each goes to its own target alone. */
  assertions?: ReadonlyMap<string, string> | undefined;
  /** The address of the client that is answered, where one is. */
  clientIp?: string | undefined;
  /** Deadline of the request that this call serves, in milliseconds since 1970; the call ends a little before it. */
  deadline?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type RpcClient<Definition> = RpcMethods<Definition, CallOptions> & { readonly channel: Client };

export interface RpcClientOptions<Definition> {
  /** gRPC target; several addresses are used in turn. */
  target: string;
  /** With which this process proves itself. */
  proof: ServiceAssertions;
  /** Plain text without it; else the certificate must have the name or address in `target`. */
  tls?: Tls | undefined;
  /** The name that the certificate must have instead, for an address that a name stands for. */
  serverName?: string | undefined;
  /** Longest time of a unary call in milliseconds. */
  timeoutMs?: number;
  /** Most bytes of an answer that are under way to this client; 4 MiB unless given. */
  windowBytes?: number;
  /** Methods without effects: tried again when their copy is away, on another where there is one, up to three times within a second. */
  retry?: readonly (keyof Definition)[];
}

const TIMEOUT_MS = 5_000;
// A copy that comes back is found within this time.
const MAX_BACKOFF_MS = 250;
// The first while the channel may not know yet that its copy is gone, all of them while a lone copy comes back.
const RETRY_PAUSES_MS = [25, 100, 250];
const QUICK_MS = 1_000;
// So that the inner service reports its own timeout before the outer one runs out.
const SHAVE_MS = 50;
const IDLE_STREAM_MS = 30_000;

// A copy that has fallen silent without closing its connections is out after seven seconds.
const KEEPALIVE: ChannelOptions = {
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
};

/**
 * Streams have connections of their own, without pings: grpc-js takes a ping that it cannot send for the end of a connection, and
 * on one that the server has closed to new calls (see `connectionMs`) none can be sent while streams go on. A stream that falls
 * silent is ended by its own deadline.
 */
class RpcChannel extends Client {
  readonly streams: Client;

  constructor(target: string, security: ChannelCredentials, options: ChannelOptions) {
    super(target, security, { ...options, ...KEEPALIVE });
    this.streams = new Client(target, security, options);
  }

  override close(): void {
    this.streams.close();
    super.close();
  }
}

/** Typed client of a service; errors are ServiceError as the other side threw them. */
export function rpcClient<Definition extends RpcDefinition>(
  definition: Definition,
  options: RpcClientOptions<Definition>,
): RpcClient<Definition> {
  const security = options.tls ? credentials.createSsl(options.tls.ca) : credentials.createInsecure();
  const channel = new RpcChannel(options.target, security, {
    ...TRANSPORT_OPTIONS,
    ...(options.serverName === undefined ? {} : { 'grpc.ssl_target_name_override': options.serverName }),
    ...(options.windowBytes === undefined ? {} : { 'grpc-node.flow_control_window': options.windowBytes }),
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': MAX_BACKOFF_MS,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
  });
  const retried = new Set<string>((options.retry ?? []).map(String));
  const methods: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(definition)) {
    methods[name] = method.responseStream
      ? (request: unknown, call: CallOptions) => streamCall(channel.streams, method, request, call, options)
      : async (request: unknown, call: CallOptions) => {
          const started = Date.now();
          for (const [tries, pauseMs] of (retried.has(name) ? RETRY_PAUSES_MS : []).entries()) {
            try {
              return await unaryCall(channel, method, request, call, options);
            } catch (error) {
              const isAway = error instanceof ServiceError && error.code === 'UNAVAILABLE';
              // One that is silent costs each try its whole time.
              const isQuick = tries === 0 || Date.now() - started < QUICK_MS;
              if (!isAway || !isQuick || !hasTime(call, pauseMs)) throw error;
              await sleep(pauseMs);
            }
          }
          return unaryCall(channel, method, request, call, options);
        };
  }
  // Each method was made from the definition's own serializers, which carry the message types.
  return Object.assign(methods, { channel }) as unknown as RpcClient<Definition>;
}

/** Whether a call that waits so long can still be answered, and is wanted. */
function hasTime({ signal, deadline = Infinity }: CallOptions, pauseMs: number): boolean {
  return !(signal?.aborted ?? false) && Date.now() + pauseMs + SHAVE_MS < deadline;
}

type Settings = Pick<RpcClientOptions<never>, 'proof' | 'timeoutMs'>;

function metadataFor(path: string, call: CallOptions, { proof }: Settings): Metadata {
  const { target } = rpcTargetOf(path);
  const metadata = new Metadata();
  metadata.set(METADATA.requestId, call.requestId);
  for (const [name, value] of Object.entries(proof(target))) metadata.set(name, value);
  const assertion = call.assertions?.get(target);
  if (assertion !== undefined) metadata.set(METADATA.assertion, assertion);
  if (call.clientIp !== undefined) metadata.set(METADATA.clientIp, call.clientIp);
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
    return Promise.reject(new ServiceError('UNAVAILABLE', 'Too little time is left to answer; try again.'));
  const options: GrpcCallOptions = { deadline: Date.now() + Math.min(left, settings.timeoutMs ?? TIMEOUT_MS) };
  return new Promise((resolve, reject) => {
    const stopListening = (): void => {
      call.signal?.removeEventListener('abort', cancel);
    };
    const running = channel.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      metadataFor(method.path, call, settings),
      options,
      (error, response) => {
        stopListening();
        if (error) reject(fromGrpcError(error));
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
  const running = channel.makeServerStreamRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    metadataFor(method.path, call, settings),
  );
  const cancel = (): void => {
    running.cancel();
  };
  // Only the wait for the other side counts: a reader that takes its time is the reader's business.
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
    throw isGrpcError(error) ? fromGrpcError(error) : error;
  } finally {
    clearTimeout(idle);
    call.signal?.removeEventListener('abort', cancel);
    running.cancel();
  }
}

function isGrpcError(error: unknown): error is Parameters<typeof fromGrpcError>[0] {
  return error instanceof Error && 'metadata' in error && error.metadata instanceof Metadata;
}
