import { gateway, services } from '@esd/dev-stack/service-table';
import { startStack, type TestStack } from '@esd/testing/stack';
import type { Cluster, DrilledCluster } from './cluster.ts';

const REPLICAS = 2;

/** Starts a local stack with the demo dataset and two processes of every service. */
export async function startReplicas(): Promise<DrilledCluster> {
  const stack = await startStack({
    replicas: Object.fromEntries(services.map(({ name }) => [name, REPLICAS])),
    // As in docker-compose.yml: the load balancer removes a gateway before its port closes.
    env: { ESD_LEAVE_SECONDS: '2' },
  });
  return { cluster: clusterOf(stack), dataDir: stack.dataDir, stop: stack.stop };
}

/** Presents the processes of a local stack as a cluster; the name of a replica is that of its process. */
function clusterOf(stack: TestStack): Cluster {
  const replicasOf = (service: string): string[] => [service, `${service}-${REPLICAS}`];
  return {
    replicas: (service) => Promise.resolve(replicasOf(service)),
    gateways: () =>
      Promise.resolve(
        replicasOf(gateway).flatMap((name) => {
          const url = stack.addresses[name]?.['public'];
          return url === undefined || stack.pid(name) === undefined ? [] : [url];
        }),
      ),
    kill: stack.kill,
    start: stack.start,
    replace: (_, replica) => stack.restart(replica),
  };
}
