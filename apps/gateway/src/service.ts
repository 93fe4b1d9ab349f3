import { setTimeout as sleep } from 'node:timers/promises';
import { readDatasetFile } from '@esd/dataset-client/dataset-facts';
import { readTls, watchedCertificate } from '@esd/service/auth/tls';
import { httpDrain } from '@esd/service/http/drain-http';
import { startInternalHttp } from '@esd/service/http/internal-http';
import { createLineLog, type Logger } from '@esd/service/health/log';
import { observeProcess } from '@esd/service/health/process-metrics';
import { watchedDisks } from '@esd/service/health/disk';
import { type Readiness, watchReadiness } from '@esd/service/health/readiness';
import { type Warnings, watchWarnings } from '@esd/service/health/warnings';
import { statusOf } from '@esd/service/rpc/status-rpc';
import { type RunningService, stopAll } from '@esd/service/run-service';
import { admission } from './admission/admission.ts';
import type { GatewayConfig } from './config.ts';
import { listen, loopbackServer, publicServer } from './admission/public-server.ts';
import { loadWebBundle } from './pages/web-bundle.ts';
import { closeUpstream, openUpstream, upstreamDependencies } from './upstream/upstream.ts';

export interface RunningGateway extends RunningService {
  /** The paths of all routes. */
  paths: readonly string[];
  port: number;
  readiness: Readiness;
  warnings: Warnings;
}

/**
 * Starts the gateway: clients of the services, public server, internal HTTP port. `accessLog` receives one line per
 * request. Throws if it cannot listen. On stop, /ready fails first; the server drains after the load balancers had time.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  accessLog: Logger = createLineLog('gateway', config.ESD_LOG_LEVEL),
): Promise<RunningGateway> {
  const { ESD_MEDIA_HTTP, ESD_EXPORT_HTTP } = config;
  const { facts, operatorFacts: operator } = readDatasetFile(config.ESD_DATASET_FILE);
  const web = await loadWebBundle(config.ESD_WEB_DIST);
  const tls = readTls(config, { ESD_MEDIA_HTTP, ESD_EXPORT_HTTP });
  const upstream = openUpstream(config, tls);
  const watched = [...watchedDisks(config.ESD_WATCHED_FOLDERS), ...watchedCertificate(tls), ...upstream.warnings];
  const warnings = watchWarnings(watched, log);
  const readiness = watchReadiness(upstreamDependencies(upstream), log, undefined, warnings.current);
  observeProcess(config.ESD_REVISION, readiness.current);
  const { listener, paths } = admission({ config, upstream, readiness, web, log, accessLog, facts, operator });
  const server = publicServer(listener, config);
  const loopback6 = loopbackServer(server);
  const drain = httpDrain(server, [loopback6]);
  const port = await listen(server, loopback6, config.ESD_LISTEN);
  // Started last: its /ready must not succeed while another process owns the public port.
  const status = (signal: AbortSignal): Promise<object> => statusOf(readiness.current(), {}, log, signal);
  const internal = await startInternalHttp(config.ESD_HTTP_LISTEN, { ...readiness, status }, undefined, tls);
  log.info({ host: config.ESD_LISTEN.host, port, httpPort: internal.port }, 'listening');
  return {
    paths,
    port,
    readiness,
    warnings,
    failed: new Promise<never>(() => undefined),
    stop: () =>
      stopAll([
        () => {
          warnings.stop();
          readiness.stop();
        },
        () => sleep(config.ESD_LEAVE_SECONDS * 1000),
        () => drain(config.ESD_SHUTDOWN_SECONDS),
        () => internal.drain(1),
        () => {
          closeUpstream(upstream);
        },
      ]),
  };
}
