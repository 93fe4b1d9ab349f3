import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Caller } from '../auth/caller-assertion.ts';
import type { CallGuard } from '../auth/call-guard.ts';
import { type ClientKey, clientOf } from '../auth/client.ts';
import type { ListenAddress } from '../config.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Logger } from '../health/log.ts';
import { rpcSeconds } from '../health/metrics.ts';
import { rpcTargetOf } from '../auth/call-target.ts';
import { onePerTick } from './one-per-tick.ts';
import { toGrpcError } from './rpc-errors.ts';
import { METADATA, metadataText } from './rpc-metadata.ts';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';
import type { AnyMethod, RpcDefinition, RpcMethods } from './rpc-types.ts';
import { widenWindows } from './rpc-window.ts';
import type { Tls } from '../auth/tls.ts';

/** What a handler knows of the call beside its request. */
export interface CallContext {
  requestId: string;
  /** The process that calls. */
  peer: string;
  /** Who stands behind the call; undefined when nobody presented a credential. */
  caller: Caller | undefined;
  /** The address of the client that is answered, as the gateway saw it; personal data. */
  clientIp: string | undefined;
  /** Who shares are counted by. */
  client: ClientKey;
  /** When the answer is too late, in milliseconds since 1970. */
  deadline: number;
  /** Aborts when the caller is gone or the deadline has passed. */
  signal: AbortSignal;
  log: Logger;
}

/** A service and what answers its methods. */
export interface RpcService {
  definition: RpcDefinition;
  handlers: Readonly<
    Record<string, (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>>
  >;
}

/** Joins a ts-proto service definition with its handlers, whose types must fit. */
export function rpcService<Definition extends RpcDefinition>(
  definition: Definition,
  handlers: RpcMethods<Definition, CallContext>,
): RpcService {
  // The message types were checked just above; from here on they only pass between the functions of one method.
  return { definition, handlers: handlers as RpcService['handlers'] };
}

export interface RpcServerOptions {
  listen: ListenAddress;
  services: RpcService[];
  /** Who may call. */
  guard: CallGuard;
  log: Logger;
  /** Plain text without it. */
  tls?: Tls | undefined;
  /** Milliseconds after which a connection takes no new calls, a minute unless given; what streams over it goes on. */
  connectionMs?: number;
  /** Folder of the .proto files: offers server reflection when given. */
  reflection?: { protoFolder: string; files: string[] } | undefined;
}

export interface PreparedRpcServer {
  /** Takes calls from now on; returns the port, or rejects when it is taken. */
  open(): Promise<number>;
  setServing(serving: boolean): void;
  /** Whether this copy has something to warn of. */
  setWarning(warning: boolean): void;
  /** Stops taking calls, waits for those that run, ends them by force after `seconds`. */
  drain(seconds: number): Promise<void>;
}

/** Name in the health service that is SERVING as long as the process lives: a probe that restarts it asks for this. */
export const LIVENESS = 'liveness';

/** Name in the health service that is NOT_SERVING while the copy has something to warn of, such as a disk that fills. */
export const NO_WARNINGS = 'no-warnings';
widenWindows();

const CONNECTION_MS = 60_000;
const MAX_CALL_MS = 60_000;
const MAX_STREAM_MS = 3_600_000;
const STALLED_STREAM_MS = 30_000;

/** Prepares the gRPC server of a process, with the standard health service; it is reached once it is opened. */
export async function prepareRpcServer(options: RpcServerOptions): Promise<PreparedRpcServer> {
  const server = new Server({
    ...TRANSPORT_OPTIONS,
    // Clients come back over a new connection and so find new copies; what streams over the old one is not cut.
    'grpc.max_connection_age_ms': options.connectionMs ?? CONNECTION_MS,
    'grpc.max_connection_age_grace_ms': MAX_STREAM_MS,
    'grpc.max_concurrent_streams': 1_000,
  });
  for (const service of options.services) {
    const implementation: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(service.definition)) {
      const handler = service.handlers[name];
      if (!handler) throw new Error(`no handler for ${method.path}`);
      implementation[name] = method.responseStream
        ? streamHandler(method, handler, options)
        : unaryHandler(method, handler, options);
    }
    server.addService(service.definition, implementation);
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING', [LIVENESS]: 'SERVING', [NO_WARNINGS]: 'SERVING' });
  health.addToServer(server);
  if (options.reflection) {
    const [{ ReflectionService }, { loadSync }] = await Promise.all([
      import('@grpc/reflection'),
      import('@grpc/proto-loader'),
    ]);
    const { protoFolder, files } = options.reflection;
    new ReflectionService(loadSync(files, { includeDirs: [protoFolder] })).addToServer(server);
  }
  return {
    open: () =>
      new Promise((resolve, reject) => {
        const address = `${options.listen.host ?? '0.0.0.0'}:${options.listen.port}`;
        server.bindAsync(address, serverCredentials(options.tls), (error, bound) => {
          if (error) reject(error);
          else resolve(bound);
        });
      }),
    setServing: (serving) => {
      health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING');
    },
    setWarning: (warning) => {
      health.setStatus(NO_WARNINGS, warning ? 'NOT_SERVING' : 'SERVING');
    },
    drain: async (seconds) => {
      health.setStatus('', 'NOT_SERVING');
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => {
          server.forceShutdown();
          // It may wait for a connection that never spoke HTTP/2 for ever.
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

/** Prepares the gRPC server and opens it at once. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = await prepareRpcServer(options);
  return { ...server, port: await server.open() };
}

function serverCredentials(tls: Tls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  // Clients prove themselves in each call.
  return ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }], false);
}

const startInTurn = onePerTick();

type Handler = (request: unknown, context: CallContext) => Promise<unknown> | AsyncIterable<unknown>;

function unaryHandler(method: AnyMethod, handler: Handler, options: RpcServerOptions) {
  return (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>): void => {
    const observed = observe(method, call, options);
    const run = async (): Promise<void> => {
      try {
        const response = await handler(call.request, observed.context());
        observed.end('OK');
        answer(null, response);
      } catch (thrown) {
        answer(toGrpcError(observed.fail(thrown)), null);
      }
    };
    startInTurn(() => void run());
  };
}

function streamHandler(method: AnyMethod, handler: Handler, options: RpcServerOptions) {
  return (call: ServerWritableStream<unknown, unknown>): void => {
    const observed = observe(method, call, options);
    void (async () => {
      try {
        const context = observed.context();
        const messages = handler(call.request, context);
        if (!(Symbol.asyncIterator in messages)) throw new Error(`${method.path} must answer with a stream`);
        let taken = Promise.resolve();
        for await (const message of messages) {
          // One on its way and one behind it: the stream itself would hold sixteen for a reader that stalls.
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
    })();
  };
}

/** Waits until a message was taken; throws UNAVAILABLE when that takes too long, and what the signal aborts with. */
async function untilTaken(taken: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(toServiceError(signal.reason));
  };
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    reject(new ServiceError('UNAVAILABLE', 'The reader took nothing for too long.'));
  }, STALLED_STREAM_MS);
  try {
    await Promise.race([taken, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

type Call = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** Everything that is the same for each call: context, deadline, log line, duration. */
function observe(method: AnyMethod, call: Call, options: RpcServerOptions) {
  const started = performance.now();
  const { metadata } = call;
  const requestId = metadataText(metadata, METADATA.requestId) ?? 'none';
  // A child logger costs more than the rest of this function, and few calls log.
  let child: Logger | undefined;
  const log = (): Logger => (child ??= options.log.child({ requestId, rpc: method.path }));
  const abort = new AbortController();
  const given = call.getDeadline();
  const latest = Date.now() + (method.responseStream ? MAX_STREAM_MS : MAX_CALL_MS);
  const deadline = Math.min(given instanceof Date ? given.getTime() : given, latest);
  const timer = setTimeout(() => {
    abort.abort(new ServiceError('UNAVAILABLE', 'The answer took longer than its deadline; try again.'));
  }, deadline - Date.now());
  call.on('cancelled', () => {
    abort.abort(new ServiceError('UNAVAILABLE', 'The caller has gone.'));
  });
  const end = (outcome: string): void => {
    clearTimeout(timer);
    rpcSeconds.observe({ method: method.path, outcome }, (performance.now() - started) / 1000);
  };
  return {
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
      end(error.code);
      if (error.code === 'INTERNAL') log().error({ err: thrown }, 'unexpected error');
      else if (error.code === 'UNAVAILABLE' && !gone) log().warn({ err: thrown }, 'unavailable');
      abort.abort();
      return error;
    },
  };
}
