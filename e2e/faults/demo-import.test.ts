import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { type Api, apiAt } from '../support/api.ts';
import { login } from '../support/admin.ts';
import { demoAdmin, demoContributor } from '../support/demo-accounts.ts';
import { expectDemo, readDemo } from '../support/demo.ts';
import { eventually } from '@esd/testing/eventually';
import { mailsTo } from '../support/mail.ts';
import { alive, launch, type Launcher, readStackFile, stopLaunchers } from '../support/launcher.ts';
import { ids } from '../support/shapes.ts';

const demo = readDemo();

describe('the import', () => {
  let dataDir: string;
  let port: number;
  let api: Api;
  let launcher: Launcher;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'esd-demo-'));
    const reserved = await reserveFreePort();
    port = reserved.port;
    await reserved.release();
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

  /** The processes of the last killed start; the next start waits until all of them have exited. */
  let killed: number[];
  const kill = async (which: 'outer' | 'inner') => {
    const { launcher: inner, processes } = readStackFile(dataDir);
    killed = [inner, ...Object.values(processes)];
    await launcher.kill(which);
  };

  test('resumes after its launcher is killed in the middle of the submissions', async () => {
    // The limit admits three submissions per minute, so that the import waits here.
    const enough = { ESD_LIMIT_ACCOUNTS: '100000', ESD_LIMIT_READS: '100000', ESD_LIMIT_SUBMISSIONS: '3' };
    launcher = launch(dataDir, port, { ESD_RATE_LIMITS: 'on', ...enough });
    await launcher.untilOutput('the gateway and its services are up');
    await eventually(
      () => Promise.resolve(existsSync(join(dataDir, 'contributor.json'))),
      (there) => there,
    );
    // Other users of the machine can read no password, mail, or unreviewed image.
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
    const modes = await Promise.all(
      entries
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map(({ parentPath, name }) => join(parentPath, name))
        // A temporary file may have been deleted.
        .map(async (path) => ({
          path,
          mode: await stat(path).then(
            ({ mode }) => mode & 0o777,
            () => 0,
          ),
        })),
    );
    expect(modes.length).toBeGreaterThan(1_000);
    // The object store sets the mode of the descriptions of its volumes itself.
    expect(modes.filter(({ path, mode }) => (mode & 0o077) !== 0 && !path.endsWith('.vif'))).toEqual([]);
    // The account can submit after the link of this mail has confirmed its address.
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

  test('resumes after the process that starts the others is killed when all records are submitted', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilOutput('experiments submitted');
    expect(alive(killed)).toEqual([]);
    await kill('inner');
  });

  test('ends with the same 809 records', async () => {
    launcher = launch(dataDir, port);
    await launcher.untilOutput('curl');
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
    await launcher.untilOutput('curl');
    expect(launcher.output()).not.toContain('experiments');
    expect((await api.get('/public/dataset')).headers.get('etag')).toBe(before);
    const own = await ownIds(await login(api, demoContributor(dataDir)));
    expect(own).toHaveLength(809);
  });
});
