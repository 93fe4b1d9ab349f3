import { describe } from '@jest/globals';
import { startStack, type TestStack } from '@esd/testing/stack';
import { services } from '@esd/dev-stack/service-table';
import { type DrilledCluster, describeDrills } from '../support/drills.ts';
import type { Cluster } from '../support/cluster.ts';

const copies = 2;

describe('two processes of each service', () => {
  describeDrills(async (): Promise<DrilledCluster> => {
    const stack = await startStack({ replicas: Object.fromEntries(services.map(({ name }) => [name, copies])) });
    return { cluster: clusterOf(stack), dataDir: stack.dataDir, stop: stack.stop };
  });
});

/** The processes of a local stack as a cluster: a copy is a process by name. */
function clusterOf(stack: TestStack): Cluster {
  const copiesOf = (service: string): string[] => [service, `${service}-${copies}`];
  return {
    copies: (service) => Promise.resolve(copiesOf(service)),
    gateways: () =>
      Promise.resolve(
        copiesOf('gateway').flatMap((name) => {
          const url = stack.addresses[name]?.['public'];
          return url === undefined || stack.pid(name) === undefined ? [] : [url];
        }),
      ),
    kill: stack.kill,
    start: stack.start,
    replace: (_, copy) => stack.restart(copy),
  };
}
