import { expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importDemo } from '@esd/dev-stack/demo/import';
import { demoDatasetFile } from '@esd/testing/demo';
import { startStack } from '@esd/testing/stack';
import { z } from 'zod';
import { login } from '../support/admin.ts';
import { demoAdmin, demoContributor } from '../support/demo-accounts.ts';
import { apiAt } from '../support/api.ts';
import { expectDemo } from '../support/demo.ts';
import { ids } from '../support/shapes.ts';

test('an import that loses the first response of every request ends with the same dataset', async () => {
  // The installation describes a dataset of its own, which is not the demo.
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
      // The request reaches the service, and the import stops before its response.
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
        '/admin/metadata/changes',
        '/metadata/papers/import',
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
      importDemo({
        url: stack.url,
        dataDir: stack.dataDir,
        signal: AbortSignal.timeout(200_000),
        say: () => undefined,
      });
    // The release has the facts of the installation, as if the import had been interrupted.
    expect((await patch({ ...demoFacts, title: 'Fibers of others', creators })).status).toBe(200);
    await again();
    expect(await citation('/public/dataset/v1.0.0')).toMatch(/^The authors of electrospinning-data\.org\. /);
    // A description by an administrator remains.
    expect((await patch({ ...demoFacts, title: 'Another name' })).status).toBe(200);
    await again();
    expect(await citation('/public/dataset/v1.0.0')).toContain('Another name');
    await expectDemo(apiAt(stack.url));
    const contributor = await login(apiAt(stack.url), demoContributor(stack.dataDir));
    const own = await apiAt(stack.url).get('/data/my-records/ids', { bearer: contributor });
    expect(ids.parse(own.json)).toHaveLength(809);
    const mailbox = join(stack.dataDir, 'mail');
    const mails = await Promise.all((await readdir(mailbox)).map((name) => readFile(join(mailbox, name), 'utf8')));
    expect(mails.filter((mail) => mail.includes('Subject: Confirm your email address'))).toHaveLength(1);
  } finally {
    globalThis.fetch = realFetch;
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
