import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNatsCluster } from '@esd/testing/nats';
import { smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { createAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { outcomes, startLoad, stopLoads } from '../support/load.ts';
import type { Drill } from './drill.ts';

const STREAM = 'ESD';
const WHOLE = 20;
const PART = 2;
const RECORDS = 1_000;
const BETWEEN_APPROVALS_MS = 150;
const WITHOUT_LEADER_MS = 2_000;
const ARRIVED_MS = 120_000;

export const stream: Drill = {
  name: 'stream',
  passes: 'no approval is lost or published twice while the leader of three NATS servers is killed again and again.',
  run: async ({ whole, say }) => {
    const cluster = await startNatsCluster();
    let stack: TestStack | undefined;
    try {
      stack = await startStack({ empty: true, env: { ...cluster.config, ESD_STREAM_REPLICAS: '3' } });
      const api = apiAt(stack.url);
      const { token: bearer } = await createAdmin(api);
      const pending = await submitRecords(api, smallSubmission(RECORDS), bearer);
      const approved: number[] = [];
      const load = startLoad(1, async () => {
        await sleep(BETWEEN_APPROVALS_MS);
        const id = pending.shift() ?? (await submitRecords(api, smallSubmission(), bearer))[0] ?? 0;
        const answer = await api.post(`/moderation/records/${id}/approve`, '', { bearer });
        if (answer.status === 200) approved.push(id);
        return answer;
      });
      const { ESD_NATS_URL, ESD_NATS_USER: user, ESD_NATS_PASSWORD: pass } = cluster.config;
      const connection = await connect({ servers: ESD_NATS_URL.split(','), user, pass, maxReconnectAttempts: -1 });
      const manager = await jetstreamManager(connection, { checkAPI: false });
      /** Waits until the stream has a leader and all of its replicas have every event. */
      const leader = async (): Promise<string> => {
        const info = await eventually(
          () => manager.streams.info(STREAM).catch(() => undefined),
          (found) =>
            found?.cluster?.leader !== undefined && found.cluster.replicas?.every(({ current }) => current) === true,
        );
        return info?.cluster?.leader ?? '';
      };
      let kills = 0;
      for (const count = whole ? WHOLE : PART; kills < count; kills += 1) {
        const name = await leader();
        const server = cluster.servers.get(name);
        if (server === undefined) throw new Error(`the leader is "${name}", which is no server`);
        const before = approved.length;
        await server.kill();
        await sleep(WITHOUT_LEADER_MS);
        await server.start(AbortSignal.timeout(ARRIVED_MS));
        say(`leader ${name} killed, ${approved.length - before} approvals until it was back`);
      }
      const { 200: _, ...refused } = outcomes(await load.stop());
      await connection.close();
      const failures: string[] = [];
      if (Object.keys(refused).length > 0) failures.push(`approvals were refused: ${JSON.stringify(refused)}`);
      await untilTotal(api, approved.length, ARRIVED_MS).catch((error: unknown) => failures.push(String(error)));
      const ids = (await readAll(api)).map(({ recordId }) => recordId);
      const lost = approved.filter((id) => !ids.includes(id));
      if (lost.length > 0) failures.push(`approvals lost: ${lost.join(', ')}`);
      await expectExactlyOnce(stack).catch((error: unknown) => failures.push(String(error)));
      return {
        counts: { kills, approvals: approved.length, lost: lost.length, duplicated: ids.length - new Set(ids).size },
        failures,
      };
    } finally {
      await stopLoads();
      await stack?.stop();
      await cluster.dispose();
    }
  },
};
