import { setTimeout as sleep } from 'node:timers/promises';
import { services } from '@esd/dev-stack/service-table';
import { startReplicas } from '../support/local-cluster.ts';
import { startBalancer } from '../support/balancer.ts';
import { lineOf, underCheckedLoad } from '../support/drill-load.ts';
import type { Drill } from './drill.ts';

const SETTLED_MS = 2_000;
/** The services of the small part: `e2e/faults/replicas.test.ts` replaces each service by itself. */
const PART = ['gateway', 'dataset-svc'];

export const replace: Drill = {
  name: 'replace',
  passes: 'no read fails and no write is lost while every process is replaced, with two replicas of each service.',
  run: async ({ whole, say }) => {
    const { cluster, dataDir, stop } = await startReplicas();
    const balancer = await startBalancer(() => cluster.gateways(), { repeatReads: false });
    try {
      const names = services.map(({ name }) => name).filter((name) => whole || PART.includes(name));
      let replaced = 0;
      const report = await underCheckedLoad(balancer.url, dataDir, async () => {
        await sleep(SETTLED_MS);
        for (const service of names) {
          for (const replica of await cluster.replicas(service)) {
            await cluster.replace(service, replica);
            replaced += 1;
            await sleep(SETTLED_MS);
          }
        }
      });
      say(lineOf(`${replaced} replaced`, report));
      const { reads, downloads, writes, lostIds, extraIds } = report;
      const failed = [reads, downloads].flatMap(({ refused, lost, wrong }) => [...refused, ...lost, ...wrong]);
      const problems: Record<string, readonly unknown[]> = {
        'failed reads': failed,
        'writes without a response or with a wrong one': [...writes.lost, ...writes.wrong],
        'lost writes': lostIds,
        'duplicated writes': extraIds,
      };
      return {
        counts: {
          replaced,
          reads: reads.done + downloads.done,
          'failed reads': failed.length,
          writes: writes.done,
          'refused writes': writes.refused.length,
          'lost writes': lostIds.length,
        },
        failures: Object.entries(problems).flatMap(([what, list]) =>
          list.length === 0 ? [] : [`${list.length} ${what}: ${JSON.stringify(list.slice(0, 3))}`],
        ),
      };
    } finally {
      await balancer.close();
      await stop();
    }
  },
};
