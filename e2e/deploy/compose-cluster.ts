import { setTimeout as sleep } from 'node:timers/promises';
import type { ComposeSystem } from './compose-system.ts';
import { runCommand } from '@esd/testing/run-command';
import { gateway } from '@esd/dev-stack/service-table';
import type { Cluster } from '../support/cluster.ts';
import { eventually } from '@esd/testing/eventually';

/** Longer than the stop timeout of every container. */
const stopMs = 120_000;
const readyMs = 60_000;
const pauseMs = 300;

/**
 * Presents the containers of a compose project as a cluster; the name of a replica is its container id. Gateways are called at the
 * addresses of their containers. Behind a published port is a proxy of the engine, which also accepts connections that the gateway
 * refuses.
 */
export async function clusterOf(system: ComposeSystem): Promise<Cluster> {
  const addressFormat = `{{with index .NetworkSettings.Networks "${system.project}_outside"}}{{.IPAddress}}{{end}}`;
  const find = async (): Promise<string[]> => {
    const inspected = (await system.containers(gateway)).map((container) =>
      runCommand(['docker', 'inspect', '--format', addressFormat, container]),
    );
    const addresses = (await Promise.all(inspected))
      .map((address) => address.trim())
      .filter((address) => address !== '');
    return addresses.map((address) => `http://${address}:8080`);
  };
  // The address of a gateway can change at each start.
  let gateways = await find();
  const started = async (container: string): Promise<void> => {
    await untilReady(container);
    gateways = await find();
  };
  return {
    gateways: () => Promise.resolve(gateways),
    replicas: system.containers,
    kill: async (container) => {
      await runCommand(['docker', 'kill', container]);
    },
    start: async (container) => {
      await runCommand(['docker', 'start', container]);
      await started(container);
    },
    replace: async (service, container) => {
      const before = await system.containers(service);
      await runCommand(['docker', 'stop', '--time', '30', container], { timeoutMs: stopMs });
      await runCommand(['docker', 'rm', container]);
      const options = [
        '--detach',
        '--no-build',
        '--no-deps',
        '--no-recreate',
        '--scale',
        `${service}=${before.length}`,
      ];
      await system.compose(['up', ...options, service]);
      for (const replica of await system.containers(service)) if (!before.includes(replica)) await started(replica);
    },
  };
}

const isReady = `fetch('http://127.0.0.1:8081/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;

/** Waits until a process reports that it is ready, which is sooner than the health check of Docker. */
async function untilReady(container: string): Promise<void> {
  const ask = async (): Promise<string> => {
    // Each health check starts one more process.
    await sleep(pauseMs);
    return runCommand(['docker', 'exec', container, 'node', '--eval', isReady]).then(
      () => 'ready',
      (error: unknown) => String(error),
    );
  };
  await eventually(ask, (answer) => answer === 'ready', readyMs);
}
