import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type ComposeSystem, composeSystem } from './compose-system.ts';
import { runCommand } from '@esd/testing/run-command';
import { root } from '@esd/dev-stack/root';
import { verifyRelease } from '@esd/tools/verify-release';
import { login } from '../support/admin.ts';
import { demoAdmin } from '../support/demo-accounts.ts';
import { type Api, apiAt } from '../support/api.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { esdAdmin } from '../support/esd-admin.ts';
import { eventually } from '@esd/testing/eventually';
import { uploadImage } from '../support/images.ts';
import { type Load, startLoad, stopLoads } from '../support/load.ts';
import { records } from '../support/shapes.ts';
import { smallRecord, smallSubmission } from '@esd/testing/records';

const SERVERS = ['postgres', 'nats', 'object-store-s3'];
const made = z.looseObject({ id: z.int() });
const withToken = z.looseObject({ token: z.string() });
const imagesOf = z.looseObject({ fiberImages: z.array(z.looseObject({ imageId: z.string() })).optional() });

let folder: string;
const systems: ComposeSystem[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-backup-'));
});
afterEach(stopLoads);
afterAll(async () => {
  for (const system of systems) await system.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Prepares a new system in containers, with its own secrets. */
async function newSystem(): Promise<ComposeSystem> {
  const system = await composeSystem();
  systems.push(system);
  return system;
}

const apiOf = async (system: ComposeSystem): Promise<Api> => apiAt(await system.url());

function script(system: ComposeSystem, name: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, COMPOSE: system.command.join(' ') };
  return runCommand([join(root, 'tools', 'deploy', name), ...args], { cwd: root, env, timeoutMs: 300_000 });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

async function sql(system: ComposeSystem, database: string, statement: string): Promise<string[]> {
  const psql = ['exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-X', '-At', '-d', database, '-c', statement];
  return (await system.compose(psql)).split('\n').filter((line) => line !== '');
}

async function sha256Of(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  expect(answer.status).toBe(200);
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

/** Submits records with images continuously and approves every other one. Returns the ids and their outcomes. */
function startWriting(api: Api, bearer: string): { load: Load; submitted: Set<number>; approved: Set<number> } {
  const [submitted, approved] = [new Set<number>(), new Set<number>()];
  const load = startLoad(2, async () => {
    const fiberImages = [{ imageId: await uploadImage(api) }];
    const [id = 0] = await submitRecords(api, { experimentData: [{ ...smallRecord, fiberImages }] }, bearer);
    submitted.add(id);
    if (id % 2 === 0) return api.get('/health');
    const answer = await api.post(`/moderation/records/${id}/approve`, '', { bearer });
    if (answer.status === 200) approved.add(id);
    return answer;
  });
  return { load, submitted, approved };
}

test('a backup that is taken during writes is restored into an empty system with other secrets', async () => {
  const first = await newSystem();
  await first.up();
  await first.importDemo();
  const api = await apiOf(first);
  const who = demoAdmin(first.dataDir);
  const admin = await login(api, who);

  const pat = withToken.parse((await api.post('/auth/tokens', { name: 'script' }, { bearer: admin })).json).token;
  const filterConfig = { polymer: 'PVDF' };
  const snapshot = made.parse((await api.post('/versions', { name: 'mine', filterConfig }, { bearer: admin })).json);
  const snapshotPath = `/versions/${snapshot.id}/records?limit=1000`;
  const mine = await api.get(snapshotPath, { bearer: admin });
  expect(mine.status).toBe(200);

  const writing = startWriting(api, admin);
  await eventually(
    () => Promise.resolve(writing.approved.size),
    (count) => count >= 5,
    60_000,
  );
  // The backup waits for this freeze, which ends while the backup begins.
  expect((await api.post('/admin/versions', { versionIdentifier: 'v1.1.0' }, { bearer: admin })).status).toBe(202);
  const before = { submitted: [...writing.submitted], approved: [...writing.approved] };
  const backup = lastLine(await script(first, 'backup.sh', folder));
  const during = writing.approved.size - before.approved.length;
  await writing.load.stop();
  expect(during).toBeGreaterThan(0);
  const versions = (await api.get('/public/dataset/versions')).json;
  const images = new Map<string, string>();
  for (const record of (await readAll(api)).filter(({ recordId }) => before.approved.includes(recordId))) {
    const [image] = imagesOf.parse(record).fiberImages ?? [];
    const path = `/images/${image?.imageId ?? ''}/content`;
    images.set(path, await sha256Of(api.url + path));
  }
  await first.down();

  const second = await newSystem();
  await second.compose(['up', '--detach', ...SERVERS]);
  await second.untilHealthy();
  await script(second, 'restore.sh', backup);
  await second.up();
  const restored = await apiOf(second);

  // Everything acknowledged before the backup is present. Records written during the backup are complete or absent.
  const approved = await sql(second, 'esd_submission', `select distinct record_id from audit where action = 'approve'`);
  await untilTotal(restored, approved.length, 60_000);
  const all = await readAll(restored);
  const ids = all.map(({ recordId }) => recordId);
  expect(ids).toEqual(approved.map(Number).sort((a, b) => a - b));
  expect(ids).toEqual(expect.arrayContaining(before.approved));
  const owned = await restored.get('/data/my-records/ids', { bearer: pat });
  expect(z.array(z.int()).parse(owned.json)).toEqual(expect.arrayContaining(before.submitted));
  const named = await sql(
    second,
    'esd_submission',
    'select distinct jsonb_array_elements_text(image_ids) from record_revision',
  );
  expect(named.length).toBeGreaterThan(before.submitted.length - 1);
  const known = new Set(await sql(second, 'esd_media', 'select id from image'));
  expect(named.filter((id) => !known.has(id))).toEqual([]);
  for (const id of named) expect((await restored.head(`/images/${id}/content`)).status).toBe(200);
  for (const [path, sha256] of images) expect(await sha256Of(restored.url + path)).toBe(sha256);

  expect((await restored.get('/public/dataset/versions')).json).toEqual(versions);
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    const whole = await verifyRelease({ url: restored.url, version, signal: AbortSignal.timeout(60_000), say });
    expect([whole, lines]).toEqual([true, lines]);
  }
  // The password and the token remain valid; sessions signed with the other secrets do not.
  expect((await restored.get('/auth/me', { bearer: admin })).status).toBe(401);
  const again = await login(restored, who);
  expect((await restored.get('/auth/me', { bearer: pat })).json).toMatchObject({ role: 'ADMIN' });
  expect((await restored.get(snapshotPath, { bearer: again })).json).toEqual(mine.json);
  expect(records.parse((await restored.get('/public/dataset/export?format=json')).json)).toEqual(all);

  // The operator commands change nothing here.
  const operator = (...words: string[]) => esdAdmin([...words, '--compose'], { COMPOSE: second.command.join(' ') });
  expect(await operator('migrate', 'submission-svc', '--yes')).toMatchObject({ code: 0 });
  expect(await operator('events', 'republish', 'submission-svc', '--yes')).toMatchObject({ code: 0 });
  expect(await operator('backup', 'check', backup)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('5 tables of contents are whole'),
  });
  const status = await operator('status');
  process.stdout.write(status.stdout);
  expect(status.stdout).not.toContain('AWAY');
  expect(status.stdout).toMatch(/^\S+dataset-svc[-_]1 +READY /m);
  const [publicId = 0] = ids;
  expect(await operator('record', String(publicId))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('APPROVED'),
  });

  // The restored system accepts new work.
  const [next = 0] = await submitRecords(restored, smallSubmission(), again);
  expect((await restored.post(`/moderation/records/${next}/approve`, '', { bearer: again })).status).toBe(200);
  await untilTotal(restored, approved.length + 1);

  await expect(script(second, 'restore.sh', backup)).rejects.toThrow('is not empty');
  await appendFile(join(backup, 'esd_media.dump'), 'x');
  await expect(script(second, 'restore.sh', backup)).rejects.toThrow('esd_media.dump: FAILED');
  expect(await operator('backup', 'check', backup)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('esd_media.dump is damaged'),
  });
}, 900_000);
