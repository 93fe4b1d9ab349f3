import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoDatasetFile } from '@esd/testing/demo';
import { sharedStack } from '@esd/testing/shared-stack';
import { startStack } from '@esd/testing/stack';
import { importDemo } from '@esd/dev-stack/demo/import';
import { holdFreePort } from '@esd/dev-stack/free-port';
import { z } from 'zod';
import { type Api, apiAt } from './support/api.ts';
import { demoAdmin, demoContributor, login } from './support/admin.ts';
import { readAll } from './support/dataset.ts';
import { readDemo } from './support/demo.ts';
import { eventually } from './support/eventually.ts';
import { mailsTo } from './support/mail.ts';
import { alive, launch, type Launcher, readStackFile, stopLaunchers } from './support/launcher.ts';
import { ids, page } from './support/shapes.ts';

const demo = readDemo();

async function expectDemo(api: Api): Promise<void> {
  const first = page.parse((await api.get('/public/dataset?limit=7')).json);
  expect(first).toMatchObject({ total: 809, skip: 0, limit: 7, version: 'latest' });
  const records = await readAll(api);
  expect(records.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 809 }, (_, index) => index + 1));
  expect(records).toEqual(demo.records);
  const versions = (await api.get('/public/dataset/versions')).json;
  expect(versions).toMatchObject([{ id: 1, versionIdentifier: 'v1.0.0', recordCount: 809 }]);
}

describe('the demo dataset', () => {
  test('is 809 experiments of 57 papers', () => {
    expect([demo.records.length, demo.submissions]).toEqual([809, 57]);
  });

  test('is there, every record as it stands in the file, numbered in its order', async () => {
    await expectDemo(apiAt((await sharedStack()).url));
  });

  test('comes in pages of any size', async () => {
    const api = apiAt((await sharedStack()).url);
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

  /** All processes of the last start that was killed; the next one comes up when none of them is left. */
  let killed: number[];
  const kill = async (which: 'outer' | 'inner') => {
    const { launcher: inner, processes } = readStackFile(dataDir);
    killed = [inner, ...Object.values(processes)];
    await launcher.kill(which);
  };

  test('that is killed in the middle of the submissions, with the outer process alone, goes on where it was', async () => {
    // Three of its submissions are let in within a minute: there it waits.
    const enough = { ESD_LIMIT_ACCOUNTS: '100000', ESD_LIMIT_READS: '100000', ESD_LIMIT_SUBMISSIONS: '3' };
    launcher = launch(dataDir, port, { ESD_RATE_LIMITS: 'on', ...enough });
    await launcher.untilSaid('the gateway and its services are up');
    await eventually(
      () => Promise.resolve(existsSync(join(dataDir, 'contributor.json'))),
      (there) => there,
    );
    for (const file of ['admin.json', 'contributor.json']) {
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    }
    // Once it has confirmed its address by the link of this mail, the account submits.
    await mailsTo(dataDir, demoContributor(dataDir).email);
    const token = await eventually(
      () => login(api, demoContributor(dataDir)).catch(() => ''),
      (got) => got !== '',
    );
    const { length } = await eventually(
      () => ownIds(token),
      (got) => got.length > 0,
    );
    await kill('outer');
    expect(length).toBeLessThan(809);
  });

  test('that is killed once all is submitted, with the process that started the others alone, goes on there', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilSaid('experiments submitted');
    expect(alive(killed)).toEqual([]);
    await kill('inner');
  });

  test('comes to the same 809 records in the end', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilSaid('curl');
    expect(alive(killed)).toEqual([]);
    expect(readStackFile(dataDir)).toMatchObject({ ready: true, url: api.url });
    await expectDemo(api);
    const own = await ownIds(await login(api, demoContributor(dataDir)));
    expect(own).toEqual(demo.records.map(({ recordId }) => recordId));
    expect(await ownIds(await login(api, demoAdmin(dataDir)))).toEqual([]);
  });

  test('is not repeated by the next start', async () => {
    const before = (await api.get('/public/dataset')).headers.get('etag');
    expect(await launcher.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);

    launcher = launch(dataDir, port);
    await launcher.untilSaid('curl');
    expect(launcher.said()).not.toContain('experiments');
    expect((await api.get('/public/dataset')).headers.get('etag')).toBe(before);
    const own = await ownIds(await login(api, demoContributor(dataDir)));
    expect(own).toHaveLength(809);
  });
});

test('an import that loses the answer of every request once comes to the same in the end', async () => {
  // A system of others, whose own dataset is not the demo.
  const folder = await mkdtemp(join(tmpdir(), 'esd-whose-'));
  const ofOthers = join(folder, 'dataset.json');
  const demoFacts = z.looseObject({}).parse(JSON.parse(await readFile(demoDatasetFile, 'utf8')));
  const creators = [{ type: 'Organization', name: 'Institute of Fibers' }];
  await writeFile(ofOthers, JSON.stringify({ ...demoFacts, title: 'Fibers of others', creators }));
  const stack = await startStack({ empty: true, env: { ESD_DATASET_FILE: ofOthers } });
  const realFetch = globalThis.fetch;
  try {
    const lost = new Map<string, string>();
    let ended: string;
    do {
      const cut = new AbortController();
      // The first request that was not lost yet reaches the service, and the import ends before it is answered.
      globalThis.fetch = async (url, init) => {
        const answer = await realFetch(url, init);
        const { pathname } = new URL(answer.url);
        const key = `${pathname} ${typeof init?.body === 'string' ? init.body : ''}`;
        if (lost.has(key)) return answer;
        lost.set(key, pathname);
        cut.abort();
        throw new Error('lost');
      };
      const options = { url: stack.url, dataDir: stack.dataDir, signal: cut.signal, say: () => undefined };
      ended = await importDemo(options).then(
        () => 'done',
        () => 'cut off',
      );
      expect(ended).toBe(cut.signal.aborted ? 'cut off' : 'done');
    } while (ended === 'cut off');
    globalThis.fetch = realFetch;
    expect(new Set(lost.values())).toEqual(
      new Set([
        '/public/dataset',
        '/auth/admin/create',
        '/auth/login',
        '/auth/register',
        '/auth/verify-email',
        '/data/my-records/ids',
        '/data/submit',
        '/moderation/approve',
        '/public/dataset/versions',
        '/admin/versions',
        '/public/dataset/v1.0.0/metadata',
        '/public/dataset/metadata',
        '/admin/versions/1',
      ]),
    );
    const citation = async (path: string) => (await apiAt(stack.url).get(`${path}/metadata?format=text`)).text;
    expect(await citation('/public/dataset/v1.0.0')).toMatch(
      /^The authors of electrospinning-data\.org\. .* Electrospinning Dataset/,
    );
    expect(await citation('/public/dataset')).toMatch(/^Institute of Fibers\. .* Fibers of others/);
    const admin = await login(apiAt(stack.url), demoAdmin(stack.dataDir));
    const patch = (dataset: object) => apiAt(stack.url).patch('/admin/versions/1', { dataset }, { bearer: admin });
    const again = () =>
      importDemo({ url: stack.url, dataDir: stack.dataDir, signal: AbortSignal.timeout(60_000), say: () => undefined });
    // As a version of before has them, to which the system gave its own facts.
    expect((await patch({ ...demoFacts, title: 'Fibers of others', creators })).status).toBe(200);
    await again();
    expect(await citation('/public/dataset/v1.0.0')).toMatch(/^The authors of electrospinning-data\.org\. /);
    // What an administrator says stays.
    expect((await patch({ ...demoFacts, title: 'Another name' })).status).toBe(200);
    await again();
    expect(await citation('/public/dataset/v1.0.0')).toContain('Another name');
    await expectDemo(apiAt(stack.url));
    const contributor = await login(apiAt(stack.url), demoContributor(stack.dataDir));
    const own = await apiAt(stack.url).get('/data/my-records/ids', { bearer: contributor });
    expect(ids.parse(own.json)).toHaveLength(809);
    const mailbox = join(stack.dataDir, 'mail');
    const mails = await Promise.all((await readdir(mailbox)).map((name) => readFile(join(mailbox, name), 'utf8')));
    expect(mails.filter((mail) => mail.includes('Subject: Confirm your e-mail address'))).toHaveLength(1);
  } finally {
    globalThis.fetch = realFetch;
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
