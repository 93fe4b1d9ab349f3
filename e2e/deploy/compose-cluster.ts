import type { ComposeSystem } from '@esd/testing/compose';
import { runCommand } from '@esd/testing/run-command';
import { gateway } from '@esd/tools/stack/service-table';
import type { Cluster } from './cluster.ts';

/** Longer than the time that compose gives a container to end. */
const stopMs = 120_000;

/** The containers of a compose project as a cluster: a copy is a container by its id. */
export async function clusterOf(system: ComposeSystem): Promise<Cluster> {
  const find = async (): Promise<string[]> => {
    const urls = await Promise.all((await system.containers(gateway)).map(system.gatewayUrl));
    return urls.filter((url) => url !== undefined);
  };
  // The port of a gateway is another one each time that it starts.
  let gateways = await find();
  return {
    gateways: () => Promise.resolve(gateways),
    copies: system.containers,
    kill: async (container) => {
      await runCommand(['docker', 'kill', container]);
    },
    start: async (container) => {
      await runCommand(['docker', 'start', container]);
      await system.untilHealthy(container);
      gateways = await find();
    },
    replace: async (_, container) => {
      await runCommand(['docker', 'stop', '--time', '30', container], { timeoutMs: stopMs });
      await runCommand(['docker', 'rm', container]);
      await system.up();
      gateways = await find();
    },
  };
}
