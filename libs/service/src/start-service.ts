import { fileURLToPath } from 'node:url';
import type { CallGuard } from './call-guard.ts';
import type { ListenAddress } from './config.ts';
import { type HttpHandler, startInternalHttp } from './internal-http.ts';
import type { Logger } from './log.ts';
import { type Dependency, watchReadiness } from './readiness.ts';
import { prepareRpcServer, type RpcService } from './rpc-server.ts';
import type { Stop } from './run-process.ts';

const PROTO_FOLDER = fileURLToPath(new URL('../../../proto', import.meta.url));

interface ServiceConfig {
  ESD_GRPC_LISTEN: ListenAddress;
  ESD_HTTP_LISTEN: ListenAddress;
  ESD_REFLECTION: 'on' | 'off';
  ESD_SHUTDOWN_SECONDS: number;
}

export interface ServiceParts {
  config: ServiceConfig;
  log: Logger;
  guard: CallGuard;
  rpcServices: RpcService[];
  dependencies: Dependency[];
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
  const readiness = watchReadiness(parts.dependencies, log, (ready) => {
    rpc.setServing(ready);
    if (ready) opening ??= open();
  });
  const http = await startInternalHttp(config.ESD_HTTP_LISTEN, readiness, parts.http);
  log.info({ httpPort: http.port }, 'listening');
  await readiness.check();
  await opening;
  return [
    () => {
      readiness.stop();
      rpc.setServing(false);
    },
    () => rpc.drain(config.ESD_SHUTDOWN_SECONDS),
    () => http.drain(config.ESD_SHUTDOWN_SECONDS),
  ];
}
