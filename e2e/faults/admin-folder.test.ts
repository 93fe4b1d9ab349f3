import { appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reserveFreePort } from '@esd/dev-stack/free-port';
import { runCommand } from '@esd/testing/run-command';
import { login } from '../support/admin.ts';
import { demoAdmin } from '../support/demo-accounts.ts';
import { type Api, apiAt } from '../support/api.ts';
import { esdAdmin } from '../support/esd-admin.ts';
import { launch, type Launcher, stopLaunchers } from '../support/launcher.ts';

let folder: string;
let dataDir: string;
let port: number;
let api: Api;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-admin-'));
  dataDir = join(folder, 'data');
  const reserved = await reserveFreePort();
  port = reserved.port;
  await reserved.release();
  api = apiAt(`http://localhost:${port}`);
});
afterAll(async () => {
  await stopLaunchers();
  await rm(folder, { recursive: true, force: true });
});

async function started(dir = dataDir): Promise<Launcher> {
  const launcher = launch(dir, port);
  await launcher.untilOutput('Try  ');
  return launcher;
}

/** Lists the files and folders that other users may access. SeaweedFS itself sets the mode of .vif files, which contain no objects. */
const sharedFiles = (dir: string) =>
  runCommand(['find', dir, '-perm', '/077', '!', '-type', 'l', '!', '-name', '*.vif']);

describe('esd-admin with the folder of a stack', () => {
  let backup: string;
  let token: string;

  test('verifies a release of the running stack, whose files are private, and refuses to back it up', async () => {
    await mkdir(dataDir, { mode: 0o755 });
    const launcher = await started();
    expect(await sharedFiles(dataDir)).toBe('');
    token = await login(api, demoAdmin(dataDir));
    expect(await esdAdmin(['verify', 'v1.0.0', '--data-dir', dataDir])).toMatchObject({ code: 0 });
    const refused = await esdAdmin(['backup', join(folder, 'backups'), '--data-dir', dataDir]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by another stack') });
    await launcher.stop();
  });

  test('backs up a stopped stack and checks the backup', async () => {
    const made = await esdAdmin(['backup', join(folder, 'backups'), '--data-dir', dataDir]);
    expect(made.code).toBe(0);
    backup = made.stdout.trim();
    expect(await readdir(join(folder, 'backups'))).toHaveLength(1);
    const check = await esdAdmin(['backup', 'check', backup]);
    expect(check).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ files and 0 tables of contents are whole/),
    });
  });

  test('restores into a new folder, whose stack accepts the sessions of the previous one', async () => {
    const into = ['--data-dir', join(folder, 'restored')];
    await runCommand(['chmod', '-R', 'a+rX', backup]);
    expect(await esdAdmin(['restore', backup, ...into])).toMatchObject({ code: 1 });
    expect(await esdAdmin(['restore', backup, ...into, '--yes'])).toMatchObject({ code: 0 });
    expect(await sharedFiles(join(folder, 'restored'))).toBe('');
    expect((await esdAdmin(['restore', backup, ...into, '--yes'])).stderr).toContain('is not empty');
    const launcher = await started(join(folder, 'restored'));
    expect((await api.get('/admin/accounts', { bearer: token })).status).toBe(200);
    expect(await esdAdmin(['verify', 'v1.0.0', ...into])).toMatchObject({ code: 0 });
    await launcher.stop();
  });

  test('a changed byte of a backup is found', async () => {
    await appendFile(join(backup, 'admin.json'), ' ');
    const check = await esdAdmin(['backup', 'check', backup]);
    expect(check).toMatchObject({ code: 1, stdout: `${join(backup, 'admin.json')} is damaged\n` });
    const restore = ['restore', backup, '--data-dir', join(folder, 'again'), '--yes'];
    expect(await esdAdmin(restore)).toMatchObject({ code: 1 });
  });

  test('a rotation of the session key signs no account out before its last step', async () => {
    const rotate = async (): Promise<string> => {
      const { code, stdout } = await esdAdmin(['keys', 'rotate', 'session', '--data-dir', dataDir, '--yes']);
      expect(code).toBe(0);
      return stdout;
    };
    const statusOfSession = async () => (await api.get('/admin/accounts', { bearer: token })).status;
    expect(await rotate()).toContain('1 of 3, add');
    expect(await rotate()).toContain('2 of 3, promote');
    let launcher = await started();
    expect(await statusOfSession()).toBe(200);
    const later = await login(api, demoAdmin(dataDir));
    await launcher.stop();
    expect(await rotate()).toContain('3 of 3, remove');
    launcher = await started();
    expect(await statusOfSession()).toBe(401);
    expect((await api.get('/admin/accounts', { bearer: later })).status).toBe(200);
    await launcher.stop();
  });
});
