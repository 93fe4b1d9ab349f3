import { BoundPorts, getContainerRuntimeClient, Wait, waitForContainer } from 'testcontainers';
import type { ComposeSystem } from './compose-system.ts';
import { gateway } from '@esd/dev-stack/service-table';
import type { Cluster } from '../support/cluster.ts';

const READY_MS = 60_000;
/** Longer than the stop timeout of every container. */
const STOP_SECONDS = 30;

/**
 * Presents the containers of a compose project as a cluster; the name of a replica is its container id. Gateways are called at the
 * addresses of their containers. Behind a published port is a proxy of the engine, which also accepts connections that the gateway
 * refuses.
 */
export async function clusterOf(system: ComposeSystem): Promise<Cluster> {
  const client = await getContainerRuntimeClient();
  const container = (id: string) => client.container.getById(id);
  const replicas = async (service: string): Promise<string[]> => (await system.containers(service)).map(({ Id }) => Id);
  /** Waits until a process is ready. Docker runs its own health check later. */
  const untilReady = (id: string): Promise<void> => {
    const healthCheck = Wait.forSuccessfulCommand('bash deploy/healthcheck.sh').withStartupTimeout(READY_MS);
    return waitForContainer(client, container(id), healthCheck, new BoundPorts());
  };
  return {
    gateways: async () =>
      (await system.containers(gateway)).flatMap(({ NetworkSettings }) => {
        const address = NetworkSettings.Networks[`${system.project}_outside`]?.IPAddress ?? '';
        return address === '' ? [] : [`http://${address}:8080`];
      }),
    replicas,
    kill: async (id) => {
      await container(id).kill();
    },
    start: async (id) => {
      await container(id).start();
      await untilReady(id);
    },
    replace: async (service, id) => {
      const before = await replicas(service);
      await container(id).stop({ t: STOP_SECONDS });
      await container(id).remove();
      const options = ['--no-build', '--no-deps', '--no-recreate', '--scale', `${service}=${before.length}`];
      await system.compose(['up', '--detach', ...options, service]);
      for (const replica of await replicas(service)) if (!before.includes(replica)) await untilReady(replica);
    },
  };
}
