import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getContainerRuntimeClient } from 'testcontainers';
import { z } from 'zod';
import { composeSystem, type ComposeSystem, type Container } from './compose-system.ts';
import { runCommand } from '@esd/testing/run-command';
import { gateway, services } from '@esd/dev-stack/service-table';
import { verifyRelease } from '@esd/tools/verify-release';
import { type Api, apiAt } from '../support/api.ts';
import { login } from '../support/admin.ts';
import { demoAdmin, demoContributor } from '../support/demo-accounts.ts';
import { eventually } from '@esd/testing/eventually';
import { uploadImage } from '../support/images.ts';
import { ids, readiness } from '../support/shapes.ts';
import { runEndToEndTests } from './end-to-end.ts';

const upMs = 900_000;
const drillMs = 300_000;
/** Maximum share of its memory limit that a container may use after the tests, in %. */
const maxMemoryPercent = 75;

let system: ComposeSystem;
beforeAll(async () => {
  system = await composeSystem();
});
afterAll(() => system.dispose(), drillMs);

const apiOf = async (): Promise<Api> => apiAt(await system.url());
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

test(
  'the image is built and one command starts the whole system from an empty state',
  async () => {
    const began = Date.now();
    await system.up();
    say(`up in ${Date.now() - began} ms, including the build of changed layers`);
    const api = await apiOf();
    for (const { name } of services) expect([name, await system.containers(name)]).toEqual([name, [expect.anything()]]);
    const { ready, dependencies } = readiness.parse((await api.get('/ready')).json);
    expect([ready, new Set(Object.values(dependencies))]).toEqual([true, new Set(['up'])]);
    await system.importDemo();
    expect((await api.get('/public/dataset?limit=1')).json).toMatchObject({ total: 809 });
  },
  upMs,
);

test(
  'the end-to-end tests pass against it',
  async () => {
    const { passed, failed } = await runEndToEndTests(system);
    say(`end-to-end tests: ${passed} passed, ${failed.length} failed`);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(200);
  },
  upMs,
);

test(
  'down and up again loses nothing',
  async () => {
    const seen = async () => {
      const api = await apiOf();
      const admin = await login(api, demoAdmin(system.dataDir));
      const bearer = await login(api, demoContributor(system.dataDir));
      const versions = (await api.get('/public/dataset/versions')).json;
      const own = ids.parse((await api.get('/data/my-records/ids', { bearer })).json);
      const accounts = (await api.get('/admin/accounts?limit=100', { bearer: admin })).json;
      const bytes = await api.get(`/images/${imageId}/content`);
      const verified = await verifyRelease({
        url: api.url,
        version: 'v1.0.0',
        signal: AbortSignal.timeout(60_000),
        say: () => undefined,
      });
      return { versions, own, accounts, image: [bytes.status, bytes.headers.get('etag')], verified };
    };
    const imageId = await uploadImage(await apiOf());
    const before = await seen();
    expect(before).toMatchObject({ verified: true, image: [200, expect.any(String)] });
    await system.down();
    expect(await system.containers(gateway)).toEqual([]);
    const began = Date.now();
    await system.up();
    say(`up again in ${Date.now() - began} ms`);
    expect(await seen()).toEqual(before);
  },
  drillMs,
);

test(
  '--scale dataset-svc=3: each replica serves reads',
  async () => {
    await system.up({ 'dataset-svc': 3 });
    const replicas = await system.containers('dataset-svc');
    expect(replicas).toHaveLength(3);
    const api = await apiOf();
    let voltage = 0;
    // Connections to the old replicas close after a minute; new connections reach the new replicas.
    const answered = await eventually(
      async () => {
        // Each page is different, so that none comes from the cache of the gateway.
        for (let page = 0; page < 20; page++) {
          const filter = encodeURIComponent(JSON.stringify({ voltageMin: (voltage += 0.001) }));
          expect((await api.get(`/public/dataset?limit=1&filter=${filter}`)).status).toBe(200);
        }
        return Promise.all(replicas.map(answeredReads));
      },
      (reads) => reads.every((count) => count > 0),
      100_000,
    );
    say(`pages served by each replica: ${answered.join(', ')}`);
  },
  drillMs,
);

test('each container uses less than its memory limit', async () => {
  const containers = (await Promise.all(services.map(({ name }) => system.containers(name)))).flat();
  const format = '{{.Name}} {{.MemUsage}} {{.MemPerc}}';
  const used = await runCommand([
    'docker',
    'stats',
    '--no-stream',
    '--format',
    format,
    ...containers.map(({ Id }) => Id),
  ]);
  say(used);
  const shares = [...used.matchAll(/ ([\d.]+)%$/gm)].map(([, share]) => Number(share));
  expect(shares).toHaveLength(containers.length);
  expect(Math.max(...shares)).toBeLessThan(maxMemoryPercent);
});

/** Returns the number of pages that a replica of dataset-svc has served, from its metrics. */
async function answeredReads({ Id }: Container): Promise<number> {
  const script = `console.log(await (await fetch('http://127.0.0.1:8081/metrics')).text())`;
  const { container: docker } = await getContainerRuntimeClient();
  const command = ['node', '--input-type=module', '--eval', script];
  const { stdout: metrics } = await docker.exec(docker.getById(Id), command);
  const counts = [...metrics.matchAll(/^\S*_count\{[^}]*QueryRecords[^}]*\} (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
  return z
    .array(z.number())
    .parse(counts)
    .reduce((sum, count) => sum + count, 0);
}
