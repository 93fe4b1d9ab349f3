import { fileURLToPath } from 'node:url';
import type { CallGuard } from './call-guard.ts';
import type { ListenAddress } from './config.ts';
import { watchedDisks } from './disk.ts';
import { type HttpHandler, startInternalHttp } from './internal-http.ts';
import type { Logger } from './log.ts';
import { type Dependency, watchReadiness } from './readiness.ts';
import { prepareRpcServer, type RpcService } from './rpc-server.ts';
import type { Stop } from './run-process.ts';
import { type Watched, watchWarnings } from './warnings.ts';

const PROTO_FOLDER = fileURLToPath(new URL('../../../proto', import.meta.url));

interface ServiceConfig {
  ESD_GRPC_LISTEN: ListenAddress;
  ESD_HTTP_LISTEN: ListenAddress;
  ESD_REFLECTION: 'on' | 'off';
  ESD_SHUTDOWN_SECONDS: number;
  ESD_WATCHED_FOLDERS: readonly string[];
}

export interface ServiceParts {
  config: ServiceConfig;
  log: Logger;
  guard: CallGuard;
  rpcServices: RpcService[];
  dependencies: Dependency[];
  /** What is watched beside the disks. */
  watched?: Watched[];
  /** Answers the paths of the internal HTTP port beside /health, /ready and /metrics. */
  http?: HttpHandler;
  /** The .proto files of the services, relative to proto/, for server reflection. */
  protos: string[];
}

/**
 * Opens the doors that every service has: the internal HTTP port at once, gRPC with health when the service is ready for the
 * first time, since a client may call a copy as soon as it can be reached. Returns how to close them, in order.
 */
export async function startService(parts: ServiceParts): Promise<Stop[]> {
  const { config, log } = parts;
  const rpc = await prepareRpcServer({
    listen: config.ESD_GRPC_LISTEN,
    services: parts.rpcServices,
    guard: parts.guard,
    log,
    reflection: config.ESD_REFLECTION === 'on' ? { protoFolder: PROTO_FOLDER, files: parts.protos } : undefined,
  });
  let opening: Promise<void> | undefined;
  const open = async (): Promise<void> => {
    try {
      log.info({ grpcPort: await rpc.open() }, 'listening');
    } catch (err) {
      log.fatal({ err }, 'could not listen');
      process.exit(1);
    }
  };
  const watched = [...watchedDisks(config.ESD_WATCHED_FOLDERS), ...(parts.watched ?? [])];
  const warnings = watchWarnings(watched, log, (now) => {
    rpc.setWarning(now.length > 0);
  });
  const onReady = (ready: boolean): void => {
    rpc.setServing(ready);
    if (ready) opening ??= open();
  };
  const readiness = watchReadiness(parts.dependencies, log, onReady, warnings.current);
  const http = await startInternalHttp(config.ESD_HTTP_LISTEN, readiness, parts.http);
  log.info({ httpPort: http.port }, 'listening');
  await readiness.check();
  await opening;
  return [
    () => {
      warnings.stop();
      readiness.stop();
      rpc.setServing(false);
    },
    () => rpc.drain(config.ESD_SHUTDOWN_SECONDS),
    () => http.drain(config.ESD_SHUTDOWN_SECONDS),
  ];
}
