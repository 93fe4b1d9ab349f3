import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { gateway, services } from '@esd/dev-stack/service-table';
import { startBalancer } from './balancer.ts';
import type { Cluster, DrilledCluster } from './cluster.ts';
import { lineOf, type LoadReport, underCheckedLoad } from './drill-load.ts';

const startMs = 900_000;
const drillMs = 240_000;
const beforeMs = 1_000;
/** The time that a killed replica stays down. */
const awayMs = 3_000;
const afterMs = 2_000;
/**
 * A killed replica breaks the download that it streams: one for each of two replicas. Other downloads continue on the other
 * replica.
 */
const streamingServices = ['dataset-svc', 'export-svc', gateway];

/**
 * Describes the guarantees under a load of reads, downloads and submissions. While it runs, replicas are killed in turn, and then replaced
 * one after the other, as in a rolling update.
 */
export function describeDrills(start: () => Promise<DrilledCluster>): void {
  let drilled: DrilledCluster;
  beforeAll(async () => {
    drilled = await start();
  }, startMs);
  afterAll(() => drilled.stop(), startMs);

  /** Runs drills behind a load balancer. Checks that every write is stored exactly once and that no response is wrong. */
  async function drill(
    what: string,
    repeatReads: boolean,
    work: (cluster: Cluster) => Promise<void>,
  ): Promise<LoadReport> {
    const { cluster, dataDir } = drilled;
    const balancer = await startBalancer(() => cluster.gateways(), { repeatReads });
    try {
      const report = await underCheckedLoad(balancer.url, dataDir, async () => {
        await sleep(beforeMs);
        await work(cluster);
        await sleep(afterMs);
      });
      process.stdout.write(`${lineOf(what, report)}\n`);
      expect(report).toMatchObject({ lostIds: [], extraIds: [] });
      expect(report.reads.done).toBeGreaterThan(50);
      expect(report.downloads.done).toBeGreaterThan(3);
      expect(report.writes.done).toBeGreaterThan(10);
      expect(report).toMatchObject({ reads: { wrong: [] }, downloads: { wrong: [] }, writes: { wrong: [] } });
      expect(report).toMatchObject({ reads: { refused: [], lost: [] }, downloads: { refused: [] } });
      return report;
    } finally {
      await balancer.close();
    }
  }

  describe.each(services.map(({ name }) => name))('%s', (service) => {
    test(
      'killed, one replica after the other: no read fails',
      async () => {
        const report = await drill(`${service} killed`, service === gateway, async (cluster) => {
          for (const replica of await cluster.replicas(service)) {
            await cluster.kill(replica);
            await sleep(awayMs);
            await cluster.start(replica);
            await sleep(afterMs);
          }
        });
        expect(report.downloads.lost.slice(streamingServices.includes(service) ? 2 : 0)).toEqual([]);
        // A request to a killed gateway has no response.
        if (service !== gateway) expect(report.writes.lost).toEqual([]);
      },
      drillMs,
    );

    test(
      'replaced, one replica after the other: nothing fails, but a write may be refused',
      async () => {
        const report = await drill(`${service} replaced`, false, async (cluster) => {
          for (const replica of await cluster.replicas(service)) {
            await cluster.replace(service, replica);
            await sleep(afterMs);
          }
        });
        expect(report).toMatchObject({ downloads: { lost: [] }, writes: { lost: [] } });
      },
      drillMs,
    );
  });
}
