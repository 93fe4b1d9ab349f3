import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '@esd/service/config';
import { httpDrain } from '@esd/service/drain-http';
import { startInternalHttp } from '@esd/service/internal-http';
import { createLineLog, createLog } from '@esd/service/log';
import { watchedDisks } from '@esd/service/disk';
import { watchReadiness } from '@esd/service/readiness';
import { runProcess } from '@esd/service/run-process';
import { watchWarnings } from '@esd/service/warnings';
import { createApp } from './app.ts';
import { settings } from './config.ts';
import { publicServer } from './server.ts';
import { closeUpstream, openUpstream, upstreamDependencies, upstreamWarnings } from './upstream.ts';

const config = readConfig(settings);
const log = createLog('gateway', config.ESD_LOG_LEVEL);
const lines = createLineLog('gateway', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const upstream = openUpstream(config);
  const warnings = watchWarnings([...watchedDisks(config.ESD_WATCHED_FOLDERS), ...upstreamWarnings(upstream)], log);
  const readiness = watchReadiness(upstreamDependencies(upstream), log, undefined, warnings.current);
  const internal = await startInternalHttp(config.ESD_HTTP_LISTEN, readiness);
  const server = publicServer(createApp({ config, upstream, readiness, log, lines }), config);
  const drain = httpDrain(server);
  server.listen(config.ESD_LISTEN.port, config.ESD_LISTEN.host);
  await once(server, 'listening');
  log.info({ address: server.address(), httpPort: internal.port }, 'listening');
  return [
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
  ];
});
