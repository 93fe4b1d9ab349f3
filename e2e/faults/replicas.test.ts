import { describe } from '@jest/globals';
import { startStack, type TestStack } from '@esd/testing/stack';
import { services } from '@esd/dev-stack/service-table';
import { type DrilledCluster, describeDrills } from '../support/drills.ts';
import type { Cluster } from '../support/cluster.ts';

const replicas = 2;

describe('two processes of each service', () => {
  describeDrills(async (): Promise<DrilledCluster> => {
    const stack = await startStack({ replicas: Object.fromEntries(services.map(({ name }) => [name, replicas])) });
    return { cluster: clusterOf(stack), dataDir: stack.dataDir, stop: stack.stop };
  });
});

/** Presents the processes of a local stack as a cluster; the name of a replica is that of its process. */
function clusterOf(stack: TestStack): Cluster {
  const replicasOf = (service: string): string[] => [service, `${service}-${replicas}`];
  return {
    replicas: (service) => Promise.resolve(replicasOf(service)),
    gateways: () =>
      Promise.resolve(
        replicasOf('gateway').flatMap((name) => {
          const url = stack.addresses[name]?.['public'];
          return url === undefined || stack.pid(name) === undefined ? [] : [url];
        }),
      ),
    kill: stack.kill,
    start: stack.start,
    replace: (_, replica) => stack.restart(replica),
  };
}
