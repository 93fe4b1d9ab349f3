import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
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
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { acceptors, listenWith } from './http/connections/acceptors.ts';
import { publicServer } from './http/connections/public-server.ts';
import { loadWebBundle } from './pages/web-bundle.ts';
import { closeUpstream, openUpstream, upstreamDependencies } from './upstream/upstream.ts';

export interface RunningGateway extends RunningService {
  app: Express;
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
  const app = createApp({ config, upstream, readiness, web, log, accessLog, facts, operator });
  const server = publicServer(app.listener, app.earlyRefusals, config);
  const others = acceptors(server, config.ESD_LISTEN);
  const drain = httpDrain(server, others);
  await listenWith(server, others, config.ESD_LISTEN);
  // Started last: its /ready must not succeed while another process owns the public port.
  const status = (signal: AbortSignal): Promise<object> => statusOf(readiness.current(), {}, log, signal);
  const internal = await startInternalHttp(config.ESD_HTTP_LISTEN, { ...readiness, status }, undefined, tls);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the public server has no port');
  log.info({ address, httpPort: internal.port }, 'listening');
  return {
    app: app.express,
    port: address.port,
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
