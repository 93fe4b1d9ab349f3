import { readdirSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Counter, Gauge, Histogram } from '@prometheus-io/client';
import type { Caller } from '../auth/caller-assertion.ts';
import type { CallGuard } from '../auth/call-guard.ts';
import { type ClientKey, clientOf } from '../quota-client.ts';
import type { ListenAddress } from '../config.ts';
import { ALLOWANCES } from '@esd/api/allowances';
import { ERROR_CODES } from '@esd/api/error-codes';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Logger } from '../health/log.ts';
import { counter, gauge, histogram } from '../health/metrics.ts';
import { TRACEPARENT } from '../health/traces.ts';
import { rpcTargetOf } from '../auth/call-target.ts';
import { retryAfterSeconds } from './call-limit.ts';
import { onePerTick } from './one-per-tick.ts';
import { toGrpcError } from './rpc-errors.ts';
import { METADATA, metadataText } from './rpc-metadata.ts';
import { endRpcSpan, startRpcSpan } from './rpc-span.ts';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';
import type { AnyMethod, RpcDefinition, RpcMethods } from './rpc-types.ts';
import { widenWindows } from './rpc-window.ts';
import type { Tls } from '../auth/tls.ts';

export interface CallContext {
  requestId: string;
  peer: string;
  /** Undefined without a credential. */
  caller: Caller | undefined;
  /** The IP address of the gateway's client; personal data. */
  clientIp: string | undefined;
  client: ClientKey;
  /** In milliseconds since 1970. */
  deadline: number;
  /** Aborts when the client disconnects or the deadline passes. */
  signal: AbortSignal;
  log: Logger;
}

export interface RpcService {
  definition: RpcDefinition;
  handlers: Readonly<
    Record<string, (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>>
  >;
}

/** Combines a ts-proto service definition with its handlers and checks their types. */
export function rpcService<Definition extends RpcDefinition>(
  definition: Definition,
  handlers: RpcMethods<Definition, CallContext>,
): RpcService {
  // Safe cast: the signature checks the message types.
  return { definition, handlers: handlers as RpcService['handlers'] };
}

export interface RpcServerOptions {
  listen: ListenAddress;
  services: RpcService[];
  guard: CallGuard;
  log: Logger;
  /** Plain text if absent. */
  tls?: Tls | undefined;
  /** Milliseconds until a connection accepts no new calls; a minute by default. Running streams continue. */
  connectionMs?: number;
  /** Whether it describes its services to tools such as grpcurl. */
  reflects?: boolean;
}

export interface PreparedRpcServer {
  open(): Promise<number>;
  setServing(serving: boolean): void;
  /** Stops accepting calls, waits for running ones, and aborts them after `seconds`. */
  drain(seconds: number): Promise<void>;
}

/** Health service name that is SERVING while the process lives, for liveness probes. */
export const LIVENESS = 'liveness';

const PROTO_FOLDER = fileURLToPath(new URL('../../../../proto', import.meta.url));

widenWindows();

const CONNECTION_MS = 60_000;
const MAX_CALL_MS = 60_000;
const MAX_STREAM_MS = 3_600_000;
const STALLED_STREAM_MS = 30_000;
const MAX_UNARY_CALLS = ALLOWANCES.overload.running.amount;
const STATUS_PATH = '/esd.common.v1.StatusService/';

/** Returns the .proto files of the packages of these services, relative to proto/. */
function protoFiles(services: readonly RpcService[]): string[] {
  const paths = services.flatMap(({ definition }) => Object.values(definition).map(({ path }) => path));
  // A path is `/esd.dataset.v1.DatasetService/GetHead`.
  const folders = new Set(paths.map((path) => path.split('.').slice(0, -1).join('/').slice(1)));
  return [...folders].flatMap((folder) => readdirSync(join(PROTO_FOLDER, folder)).map((name) => join(folder, name)));
}

/** Prepares the gRPC server of a process with the standard health service; `open` makes it reachable. */
export async function prepareRpcServer(options: RpcServerOptions): Promise<PreparedRpcServer> {
  const metrics = {
    requests: counter('esd_rpc_server_requests_total'),
    duration: histogram('esd_rpc_server_duration_seconds'),
    inFlight: gauge('esd_rpc_server_in_flight'),
  };
  const server = new Server({
    ...TRANSPORT_OPTIONS,
    // Clients reconnect and find new replicas; streams over the old connection continue.
    'grpc.max_connection_age_ms': options.connectionMs ?? CONNECTION_MS,
    'grpc.max_connection_age_grace_ms': MAX_STREAM_MS,
    'grpc.max_concurrent_streams': 1_000,
  });
  const load = { unaryCalls: 0 };
  for (const service of options.services) {
    const implementation: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(service.definition)) {
      const handler = service.handlers[name];
      if (!handler) throw new Error(`no handler for ${method.path}`);
      implementation[name] = method.responseStream
        ? streamHandler(method, handler, { ...options, metrics })
        : unaryHandler(method, handler, { ...options, metrics }, load);
    }
    server.addService(service.definition, implementation);
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING', [LIVENESS]: 'SERVING' });
  health.addToServer(server);
  if (options.reflects) {
    const [{ ReflectionService }, { loadSync }] = await Promise.all([
      import('@grpc/reflection'),
      import('@grpc/proto-loader'),
    ]);
    const described = loadSync(protoFiles(options.services), { includeDirs: [PROTO_FOLDER] });
    new ReflectionService(described).addToServer(server);
  }
  return {
    open: () => {
      const { host, port } = options.listen;
      const bind = (address: string): Promise<number> =>
        new Promise((resolve, reject) => {
          server.bindAsync(`${address}:${port}`, serverCredentials(options.tls), (error, bound) => {
            if (error) reject(error);
            else resolve(bound);
          });
        });
      if (host !== undefined) return bind(isIPv6(host) ? `[${host}]` : host);
      // A system without IPv6 has no address [::].
      return bind('[::]').catch(() => bind('0.0.0.0'));
    },
    setServing: (serving) => {
      health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING');
    },
    drain: async (seconds) => {
      health.setStatus('', 'NOT_SERVING');
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => {
          server.forceShutdown();
          // tryShutdown never ends for a connection that never used HTTP/2.
          resolve();
        }, seconds * 1000);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      });
    },
  };
}

export interface RpcServer extends PreparedRpcServer {
  port: number;
}

export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = await prepareRpcServer(options);
  return { ...server, port: await server.open() };
}

function serverCredentials(tls: Tls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  // No client certificates: each call has a service assertion.
  return ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }], false);
}

const startInTurn = onePerTick();

type Handler = (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>;

function unaryHandler(method: AnyMethod, handler: Handler, options: Observing, load: { unaryCalls: number }) {
  // The status of a busy replica matters most.
  const isLimited = !method.path.startsWith(STATUS_PATH);
  return (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>): void => {
    const observed = observe(method, call, options);
    if (isLimited && load.unaryCalls >= MAX_UNARY_CALLS) {
      answer(toGrpcError(observed.fail(tooManyCalls())), null);
      return;
    }
    load.unaryCalls += 1;
    const run = async (): Promise<void> => {
      try {
        const context = observed.context();
        // The caller may have disconnected while the call waited for its turn.
        context.signal.throwIfAborted();
        const response = await handler(call.request, context);
        observed.end('OK');
        answer(null, response);
      } catch (thrown) {
        answer(toGrpcError(observed.fail(thrown)), null);
      } finally {
        load.unaryCalls -= 1;
      }
    };
    startInTurn(() => void observed.span.run(run));
  };
}

/** The error of a call that the replica refuses. Because of its `Retry-After`, the caller does not retry it. */
function tooManyCalls(): ServiceError {
  const message = `This replica handles ${MAX_UNARY_CALLS} calls already; try again in a few seconds.`;
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: retryAfterSeconds() });
}

function streamHandler(method: AnyMethod, handler: Handler, options: Observing) {
  return (call: ServerWritableStream<unknown, unknown>): void => {
    const observed = observe(method, call, options);
    void observed.span.run(async () => {
      try {
        const context = observed.context();
        const messages = handler(call.request, context);
        if (!(Symbol.asyncIterator in messages)) throw new Error(`${method.path} must return a stream`);
        let taken = Promise.resolve();
        for await (const message of messages) {
          // At most one message in flight and one waiting; the stream itself would buffer sixteen for a stalled reader.
          await untilTaken(taken, context.signal);
          taken = new Promise((resolve) => {
            call.write(message, () => {
              resolve();
            });
          });
        }
        await untilTaken(taken, context.signal);
        observed.end('OK');
        call.end();
      } catch (thrown) {
        call.emit('error', toGrpcError(observed.fail(thrown)));
      }
    });
  };
}

/** Waits until a message is written. Throws UNAVAILABLE after a timeout, or the reason of the signal. */
async function untilTaken(taken: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(toServiceError(signal.reason));
  };
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    reject(new ServiceError('UNAVAILABLE', 'The reader of the stream stalled; try again.'));
  }, STALLED_STREAM_MS);
  try {
    await Promise.race([taken, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

type Call = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

interface Observing extends Pick<RpcServerOptions, 'guard' | 'log'> {
  metrics: {
    requests: Counter<'method' | 'code'>;
    duration: Histogram<'method'>;
    inFlight: Gauge;
  };
}

function observe(method: AnyMethod, call: Call, options: Observing) {
  const { requests, duration, inFlight } = options.metrics;
  const started = performance.now();
  const { metadata } = call;
  const requestId = metadataText(metadata, METADATA.requestId) ?? 'none';
  // Created on demand, because it costs more than the rest of this function and few calls log.
  let child: Logger | undefined;
  const log = (): Logger => (child ??= options.log.child({ requestId, rpc: method.path }));
  const span = startRpcSpan('SERVER', method.path, call.getHost(), [metadataText(metadata, TRACEPARENT)]);
  const abort = new AbortController();
  const given = call.getDeadline();
  const latest = Date.now() + (method.responseStream ? MAX_STREAM_MS : MAX_CALL_MS);
  const deadline = Math.min(given instanceof Date ? given.getTime() : given, latest);
  const timer = setTimeout(() => {
    abort.abort(new ServiceError('UNAVAILABLE', 'The call exceeded its deadline; try again.'));
  }, deadline - Date.now());
  const disconnect = (): void => {
    abort.abort(new ServiceError('UNAVAILABLE', 'The caller disconnected.'));
  };
  call.on('cancelled', disconnect);
  const name = method.path.slice(1);
  if (!method.responseStream) inFlight.inc();
  const end = (code: string, failure?: ServiceError): void => {
    clearTimeout(timer);
    // grpc-js cancels every call when its stream closes, also after the response.
    call.off('cancelled', disconnect);
    endRpcSpan(span, failure && status[ERROR_CODES[failure.code].grpc], failure);
    if (!method.responseStream) inFlight.dec();
    requests.inc({ method: name, code });
    duration.observe({ method: name }, (performance.now() - started) / 1000);
  };
  return {
    span,
    end,
    context: (): CallContext => {
      const { peer, caller } = options.guard({
        ...rpcTargetOf(method.path),
        header: (name) => metadataText(metadata, name),
      });
      const clientIp = metadataText(metadata, METADATA.clientIp);
      const client = clientOf({ caller, clientIp });
      return {
        requestId,
        peer,
        caller,
        clientIp,
        client,
        deadline,
        signal: abort.signal,
        get log() {
          return log();
        },
      };
    },
    fail: (thrown: unknown): ServiceError => {
      const gone = call.cancelled;
      const error = toServiceError(abort.signal.aborted && !gone ? abort.signal.reason : thrown);
      end(error.code, error);
      if (error.code === 'INTERNAL') log().error({ err: thrown }, 'unexpected error');
      else if (error.code === 'UNAVAILABLE' && !gone) log().warn({ err: thrown }, 'unavailable');
      abort.abort();
      return error;
    },
  };
}
