import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedStack } from '@esd/testing/shared-stack';
import { holdFreePort } from '@esd/tools/stack/free-port';
import { type Api, apiAt } from './support/api.ts';
import { demoAdmin, login } from './support/admin.ts';
import { readAll } from './support/dataset.ts';
import { readDemo } from './support/demo.ts';
import { eventually } from './support/eventually.ts';
import { launch, type Launcher, readStackFile, stopLaunchers } from './support/launcher.ts';
import { ids, page } from './support/shapes.ts';

const demo = readDemo();

async function expectDemo(api: Api): Promise<void> {
  const first = page.parse((await api.get('/public/dataset?limit=7')).json);
  expect(first).toMatchObject({ total: 809, skip: 0, limit: 7, version: 'latest' });
  const records = await readAll(api);
  expect(records.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 809 }, (_, index) => index + 1));
  expect(records).toEqual(demo.records);
}

describe('the demo dataset', () => {
  test('is 809 experiments of 57 papers', () => {
    expect([demo.records.length, demo.submissions]).toEqual([809, 57]);
  });

  test('is there, every record as it stands in the file, numbered in its order', async () => {
    await expectDemo(apiAt(sharedStack().url));
  });

  test('comes in pages of any size', async () => {
    const api = apiAt(sharedStack().url);
    for (const limit of [13, 100, 809, 1000]) {
      const seen: unknown[] = [];
      for (let skip = 0; skip < 809; skip += limit) {
        seen.push(...page.parse((await api.get(`/public/dataset?skip=${skip}&limit=${limit}`)).json).data);
      }
      expect(seen).toEqual(demo.records);
    }
  });
});

describe('the import', () => {
  let dataDir: string;
  let port: number;
  let api: Api;
  let launcher: Launcher;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'esd-demo-'));
    const held = await holdFreePort();
    port = held.port;
    await held.release();
    api = apiAt(`http://localhost:${port}`);
  });
  afterAll(async () => {
    await stopLaunchers();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ownIds = async (token: string) => {
    const answer = await api.get('/data/my-records/ids', { bearer: token });
    return ids.parse(answer.json);
  };

  test('that is killed in the middle of the submissions goes on where it was', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilSaid('the gateway and its services are up');
    await eventually(
      () => Promise.resolve(existsSync(join(dataDir, 'admin.json'))),
      (there) => there,
    );
    expect((await stat(join(dataDir, 'admin.json'))).mode & 0o777).toBe(0o600);
    const token = await eventually(
      () => login(api, demoAdmin(dataDir)).catch(() => ''),
      (got) => got !== '',
    );
    const { length } = await eventually(
      () => ownIds(token),
      (got) => got.length > 50,
    );
    await launcher.kill();
    expect(length).toBeLessThan(809);
  }, 120_000);

  test('that is killed before the approval goes on there', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilSaid('experiments submitted');
    await launcher.kill();
    expect(launcher.said()).not.toContain('experiments public');
  }, 120_000);

  test('comes to the same 809 records in the end', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilSaid('curl');
    expect(readStackFile(dataDir)).toMatchObject({ ready: true, url: api.url });
    await expectDemo(api);
    const own = await ownIds(await login(api, demoAdmin(dataDir)));
    expect(own).toEqual(demo.records.map(({ recordId }) => recordId));
  }, 120_000);

  test('is not repeated by the next start', async () => {
    const before = (await api.get('/public/dataset')).headers.get('etag');
    expect(await launcher.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);

    launcher = launch(dataDir, port);
    await launcher.untilSaid('curl');
    expect(launcher.said()).not.toContain('experiments');
    expect((await api.get('/public/dataset')).headers.get('etag')).toBe(before);
    const own = await ownIds(await login(api, demoAdmin(dataDir)));
    expect(own).toHaveLength(809);
  }, 120_000);
});
