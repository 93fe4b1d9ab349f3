import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'minio';
import { Child } from '@esd/dev-stack/child';
import { embeddedObjectStore } from '@esd/dev-stack/object-store';
import { root } from '@esd/dev-stack/root';

const [accessKey, secretKey] = [randomBytes(8).toString('hex'), randomBytes(16).toString('hex')];
const run = promisify(execFile);

let folder: string;
let server: Child;
let client: Client;
let endpoint: string;
let lists: string;
let objects: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-backup-'));
  for (const name of ['logs', 'lists', 'objects']) await mkdir(join(folder, name));
  [lists, objects] = [join(folder, 'lists'), join(folder, 'objects')];
  const store = await embeddedObjectStore({
    dataDir: folder,
    keys: [{ buckets: ['one', 'two'], accessKey, secretKey }],
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

async function copy(verb: 'backup' | 'restore'): Promise<string> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    ESD_S3_ENDPOINT: endpoint,
    ESD_S3_ACCESS_KEY: accessKey,
    ESD_S3_SECRET_KEY: secretKey,
  };
  const args = [join(root, 'tools', 'deploy', 'objects.ts'), verb, lists, objects, 'one', 'two'];
  return (await run(process.execPath, args, { env, timeout: 60_000 })).stdout;
}

async function read(bucket: string, key: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const body: AsyncIterable<Buffer> = await client.getObject(bucket, key);
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

test('backup copies only new objects of the buckets, and restore uploads them', async () => {
  const small = Buffer.from('small');
  // A multipart upload, whose ETag is not an MD5.
  const large = randomBytes(70 * 1024 * 1024);
  await client.putObject('one', 'images/a/full', small);
  await client.putObject('one', 'images/b/full', large);
  await client.putObject('two', 'c d ü', small);
  expect(await copy('backup')).toBe('one: 2 objects, 2 new\ntwo: 1 objects, 1 new\n');
  expect(await readFile(join(lists, 'one.sha256'), 'utf8')).toBe(
    `${sha256(small)}  images/a/full\n${sha256(large)}  images/b/full\n`,
  );
  await client.putObject('two', 'later', small);
  expect(await copy('backup')).toBe('one: 2 objects, 0 new\ntwo: 2 objects, 1 new\n');

  await client.removeObjects('one', ['images/a/full', 'images/b/full']);
  await client.removeObjects('two', ['c d ü']);
  expect(await copy('restore')).toBe('one: 2 objects, 2 uploaded\ntwo: 2 objects, 1 uploaded\n');
  expect(sha256(await read('one', 'images/b/full'))).toBe(sha256(large));
  expect(await read('two', 'c d ü')).toEqual(small);
});

test('a corrupted file is not restored, and the next backup fetches it again', async () => {
  const file = join(objects, 'one', 'images', 'a', 'full');
  await writeFile(file, 'SMALL');
  await expect(copy('restore')).rejects.toThrow(/images\/a\/full is corrupted/);
  // For a multipart upload, the store reports only the size.
  const large = join(objects, 'one', 'images', 'b', 'full');
  const sound = await readFile(large);
  await writeFile(large, Buffer.concat([Buffer.from([(sound[0] ?? 0) ^ 1]), sound.subarray(1)]));
  expect(await copy('backup')).toContain('one: 2 objects, 2 new');
  expect(await readFile(file, 'utf8')).toBe('small');
  expect(sha256(await readFile(large))).toBe(sha256(sound));
});

test('an object that was deleted from the store stays in the folder for older backups', async () => {
  await client.removeObject('two', 'later');
  expect(await copy('backup')).toContain('two: 1 objects, 0 new');
  expect((await stat(join(objects, 'two', 'later'))).size).toBe(5);
});

test('an unreachable store causes an error', async () => {
  await server.stop();
  await expect(copy('backup')).rejects.toThrow(/ECONNREFUSED/);
});
