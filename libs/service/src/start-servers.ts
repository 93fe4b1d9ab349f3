import type { CallGuard } from './auth/call-guard.ts';
import { type Tls, watchedCertificate } from './auth/tls.ts';
import type { ListenAddress } from './config.ts';
import { watchedDisks } from './health/disk.ts';
import type { Logger } from './health/log.ts';
import { type MeasuredGauges, measureGauges } from './health/metrics.ts';
import { observeProcess } from './health/process-metrics.ts';
import { type Dependency, type ReadinessState, watchReadiness } from './health/readiness.ts';
import { type WarningCheck, watchWarnings } from './health/warnings.ts';
import { type HttpHandler, startInternalHttp } from './http/internal-http.ts';
import { prepareRpcServer, type RpcService } from './rpc/rpc-server.ts';
import { statusOf, type StatusParts, statusRpc } from './rpc/status-rpc.ts';
import { type RunningService, type Stop, stopAll } from './run-service.ts';

interface ServersConfig {
  ESD_GRPC_LISTEN: ListenAddress;
  ESD_HTTP_LISTEN: ListenAddress;
  ESD_REFLECTION: 'on' | 'off';
  ESD_REVISION: string;
  ESD_SHUTDOWN_SECONDS: number;
  ESD_WATCHED_FOLDERS: readonly string[];
}

export interface ServersOptions {
  config: ServersConfig;
  log: Logger;
  guard: CallGuard;
  /** Plain text if undefined. */
  tls: Tls | undefined;
  rpcServices: RpcService[];
  dependencies: Dependency[];
  status?: StatusParts;
  /** Checks in addition to disks and certificate. */
  watched?: WarningCheck[];
  /** Gauges that are read from the database and from NATS. */
  measured: MeasuredGauges[];
  /** Handles paths of the internal HTTP port other than /health, /ready, /status and /metrics. */
  http?: HttpHandler;
  /**
   * Starts background work when the servers are open. Returns all parts of the service, also those opened before, in the
   * order in which they stop after the servers have drained.
   */
  background: () => Stop[];
}

export interface RunningServers extends RunningService {
  httpPort: number;
  /** Resolves when the gRPC server opens, that is, when the service is ready for the first time. */
  grpcPort: Promise<number>;
}

/**
 * Starts the servers of a service, then its background work. Opens the internal HTTP port immediately. Opens the gRPC port
 * when the service is ready for the first time, because clients call a reachable replica immediately. /ready returns 200
 * when both ports are open. Throws if a port cannot be opened.
 */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const { config, log, status: parts = {} } = options;
  const rpc = await prepareRpcServer({
    listen: config.ESD_GRPC_LISTEN,
    services: [...options.rpcServices, statusRpc(() => readiness.current(), parts)],
    guard: options.guard,
    log,
    tls: options.tls,
    reflects: config.ESD_REFLECTION === 'on',
  });
  const grpcPort = Promise.withResolvers<number>();
  let opening: Promise<void> | undefined;
  let isOpen = false;
  const open = async (): Promise<void> => {
    try {
      const port = await rpc.open();
      isOpen = true;
      log.info({ grpcPort: port }, 'listening');
      grpcPort.resolve(port);
    } catch (error) {
      grpcPort.reject(error);
    }
  };
  const failed = new Promise<never>((_, reject) => {
    grpcPort.promise.catch(reject);
  });
  // Prevents an unhandled rejection if the service stops before `failed` is awaited.
  failed.catch(() => undefined);

  const watched = [
    ...watchedDisks(config.ESD_WATCHED_FOLDERS),
    ...watchedCertificate(options.tls),
    ...(options.watched ?? []),
  ];
  const warnings = watchWarnings(watched, log);
  const onReady = (ready: boolean): void => {
    rpc.setServing(ready);
    if (ready) opening ??= open();
  };
  const readiness = watchReadiness(options.dependencies, log, onReady, warnings.current);
  const current = (): ReadinessState => {
    const state = readiness.current();
    return { ...state, ready: state.ready && isOpen };
  };
  observeProcess(config.ESD_REVISION, current);
  const stopMeasuring = options.measured.map(measureGauges);
  const status = (signal: AbortSignal): Promise<object> => statusOf(current(), parts, log, signal);
  const http = await startInternalHttp(config.ESD_HTTP_LISTEN, { current, status }, options.http, options.tls);
  log.info({ httpPort: http.port }, 'listening');
  await readiness.check();
  if (opening !== undefined) await grpcPort.promise;
  const background = options.background();
  return {
    httpPort: http.port,
    grpcPort: grpcPort.promise,
    failed,
    stop: () =>
      stopAll([
        () => {
          for (const stop of stopMeasuring) stop();
          warnings.stop();
          readiness.stop();
          rpc.setServing(false);
        },
        () => rpc.drain(config.ESD_SHUTDOWN_SECONDS),
        () => http.drain(config.ESD_SHUTDOWN_SECONDS),
        ...background,
      ]),
  };
}
