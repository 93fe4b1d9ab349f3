import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'minio';
import { Child } from '@esd/dev-stack/child';
import { embeddedObjectStore } from '@esd/dev-stack/object-store';
import { root } from '@esd/dev-stack/root';
import { checkBackup } from '../../admin/backup.ts';
import { poolFile } from '../../deploy/object-pool.ts';

const [accessKey, secretKey] = [randomBytes(8).toString('hex'), randomBytes(16).toString('hex')];
const run = promisify(execFile);
const BUCKETS = ['esd-images', 'esd-exports'];
const DAMAGED = 4;

let folder: string;
let server: Child;
let client: Client;
let endpoint: string;
let lists: string;
let pool: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-backup-'));
  for (const name of ['logs', 'lists', 'objects']) await mkdir(join(folder, name));
  [lists, pool] = [join(folder, 'lists'), join(folder, 'objects')];
  await writeFile(join(lists, 'databases.sha256'), '');
  const store = await embeddedObjectStore({
    dataDir: folder,
    keys: [{ buckets: BUCKETS, accessKey, secretKey }],
  });
  endpoint = store.endpoint;
  const ignore = (): void => undefined;
  server = new Child(store.spec, ignore, ignore);
  await server.start(AbortSignal.timeout(120_000));
  const { hostname, port } = new URL(endpoint);
  client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey, pathStyle: true });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function copy(verb: 'backup' | 'restore', folderOfPool = pool): Promise<{ stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    ESD_S3_ENDPOINT: endpoint,
    ESD_S3_ACCESS_KEY: accessKey,
    ESD_S3_SECRET_KEY: secretKey,
  };
  const args = [join(root, 'tools', 'deploy', 'objects.ts'), verb, lists, folderOfPool, ...BUCKETS];
  return run(process.execPath, args, { env, timeout: 60_000 });
}

async function read(bucket: string, key: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const body: AsyncIterable<Buffer> = await client.getObject(bucket, key);
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const small = Buffer.from('small');
// A multipart upload, whose ETag is not an MD5.
const large = randomBytes(70 * 1024 * 1024);

test('backup copies only new objects of the buckets, and restore uploads them', async () => {
  await client.putObject('esd-images', 'a/full.png', small);
  await client.putObject('esd-images', 'b/full.png', large);
  await client.putObject('esd-exports', 'c d ü', Buffer.from('other'));
  expect((await copy('backup')).stdout).toBe('esd-images: 2 objects, 2 new\nesd-exports: 1 objects, 1 new\n');
  expect(await readFile(join(lists, 'esd-images.sha256'), 'utf8')).toBe(
    `${sha256(small)}  a/full.png\n${sha256(large)}  b/full.png\n`,
  );
  await client.putObject('esd-exports', 'built/new', Buffer.from('new'));
  expect((await copy('backup')).stdout).toBe('esd-images: 2 objects, 0 new\nesd-exports: 2 objects, 1 new\n');
  expect(await checkBackup(lists)).toMatchObject({ code: 0, json: { files: 4 } });

  await client.removeObjects('esd-images', ['a/full.png', 'b/full.png']);
  await client.removeObjects('esd-exports', ['c d ü']);
  expect((await copy('restore')).stdout).toBe(
    'esd-images: 2 objects, 2 uploaded\nesd-exports: 2 objects, 1 uploaded\n',
  );
  expect(sha256(await read('esd-images', 'b/full.png'))).toBe(sha256(large));
  expect(await read('esd-exports', 'c d ü')).toEqual(Buffer.from('other'));
});

test('an object that changed under its key is reported, and does not replace the content of backups', async () => {
  const altered = Buffer.concat([Buffer.from([(large[0] ?? 0) ^ 1]), large.subarray(1)]);
  await client.putObject('esd-images', 'a/full.png', Buffer.from('SMALL'));
  await client.putObject('esd-images', 'b/full.png', altered);
  await client.putObject('esd-exports', 'built/new', Buffer.from('built again'));
  await expect(copy('backup')).rejects.toMatchObject({
    code: DAMAGED,
    stdout: 'esd-images: 2 objects, 0 new\nesd-exports: 2 objects, 1 new\n',
    stderr: expect.stringMatching(/^esd-images\/a\/full.png has changed .*\nesd-images\/b\/full.png has changed .*\n$/),
  });
  expect(await checkBackup(lists)).toMatchObject({ code: 0 });

  expect((await copy('restore')).stdout).toContain('esd-images: 2 objects, 2 uploaded');
  expect(await read('esd-images', 'a/full.png')).toEqual(small);
  expect(sha256(await read('esd-images', 'b/full.png'))).toBe(sha256(large));
  expect((await copy('backup')).stdout).toContain('esd-images: 2 objects, 0 new');
});

test('restore reports missing and damaged objects and uploads the others; the next backup repairs the files', async () => {
  const [damaged, missing] = [poolFile(pool, sha256(small)), poolFile(pool, sha256(large))];
  await writeFile(damaged, 'SMALL');
  await rm(missing);
  const check = await checkBackup(lists);
  expect([check.code, check.lines]).toEqual([1, [`${damaged} is damaged`, `${missing} is missing`]]);
  await client.removeObject('esd-exports', 'c d ü');
  await expect(copy('restore')).rejects.toMatchObject({
    code: DAMAGED,
    stdout: 'esd-images: 2 objects, 0 uploaded\nesd-exports: 2 objects, 1 uploaded\n',
    stderr: expect.stringMatching(/a\/full.png is not restored: .* is damaged.*\n.*b\/full.png .* is missing.*\n$/),
  });
  expect((await copy('backup')).stdout).toContain('esd-images: 2 objects, 2 new');
  expect(await checkBackup(lists)).toMatchObject({ code: 0 });
});

test('an object that was deleted from the store stays in the pool for older backups', async () => {
  await client.removeObject('esd-exports', 'c d ü');
  expect((await copy('backup')).stdout).toContain('esd-exports: 1 objects, 0 new');
  expect(await readFile(poolFile(pool, sha256(Buffer.from('other'))), 'utf8')).toBe('other');
});

test('an unreachable store causes an error', async () => {
  await server.stop();
  await expect(copy('backup')).rejects.toThrow(/ECONNREFUSED/);
});
