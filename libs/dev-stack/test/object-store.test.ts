import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'minio';
import { array, member } from '../src/json-value.ts';
import { Child } from '../src/child.ts';
import { embeddedObjectStore, objectStoreIdentities, type StoreKey } from '../src/object-store.ts';
import { root } from '../src/root.ts';

const keyOf = (bucket: string): StoreKey => ({
  buckets: [bucket],
  accessKey: randomBytes(8).toString('hex'),
  secretKey: randomBytes(16).toString('hex'),
});
const run = promisify(execFile);
const [images, exports] = [keyOf('esd-images'), keyOf('esd-exports')];
const MB = 1024 * 1024;

let dataDir: string;
let server: Child;
let endpoint: URL;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'esd-objects-'));
  await mkdir(join(dataDir, 'logs'));
  const embedded = await embeddedObjectStore({ dataDir, keys: [images, exports] });
  endpoint = new URL(embedded.endpoint);
  const ignore = (): void => undefined;
  server = new Child(embedded.spec, ignore, ignore);
  await server.start(AbortSignal.timeout(120_000));
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const openAs = ({ accessKey, secretKey }: Pick<StoreKey, 'accessKey' | 'secretKey'>): Client =>
  new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port),
    useSSL: false,
    accessKey,
    secretKey,
    pathStyle: true,
    region: 'us-east-1',
    partSize: 5 * MB,
  });

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'OK';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

function attempts(client: Client, bucket: string): Record<string, () => Promise<unknown>> {
  return {
    'checks whether the bucket exists': () => client.bucketExists(bucket),
    writes: () => client.putObject(bucket, 'a', Buffer.from('a')),
    'writes in parts': () => client.putObject(bucket, 'parts', Buffer.alloc(6 * MB)),
    'reads the metadata of an object': () => client.statObject(bucket, 'object'),
    reads: async () => (await client.getObject(bucket, 'object')).resume(),
    lists: () => client.listObjects(bucket).toArray(),
    'lists incomplete uploads': () => client.listIncompleteUploads(bucket, '', true).toArray(),
    removes: () => client.removeObject(bucket, 'a'),
  };
}

test('a key opens its own bucket', async () => {
  const client = openAs(images);
  await client.putObject('esd-images', 'object', Buffer.from('object'));
  for (const [what, attempt] of Object.entries(attempts(client, 'esd-images'))) {
    expect([what, await outcomeOf(attempt())]).toEqual([what, 'OK']);
  }
});

test('a key gets 403 for every other bucket and cannot create or delete buckets', async () => {
  await openAs(images).putObject('esd-images', 'object', Buffer.from('object'));
  const client = openAs(exports);
  const outcomes: [string, string][] = [];
  for (const [what, attempt] of Object.entries(attempts(client, 'esd-images')))
    outcomes.push([what, await outcomeOf(attempt())]);
  outcomes.push(['creates a bucket', await outcomeOf(client.makeBucket('mine'))]);
  outcomes.push(['deletes a bucket', await outcomeOf(client.removeBucket('esd-images'))]);
  outcomes.push(['deletes its own bucket', await outcomeOf(client.removeBucket('esd-exports'))]);
  outcomes.push(['makes its own bucket public', await outcomeOf(client.setBucketPolicy('esd-exports', '{}'))]);
  // Returns 200 with an error per object.
  await client.removeObjects('esd-images', ['object']);
  expect(outcomes).toEqual(outcomes.map(([what]) => [what, 'AccessDenied']));
  expect(await outcomeOf(openAs(images).statObject('esd-images', 'object'))).toBe('OK');
});

test('a wrong secret, an unknown key and a missing key are refused', async () => {
  const url = `${endpoint.origin}/esd-images/object`;
  expect((await fetch(url)).status).toBe(403);
  const forged = openAs({ ...images, secretKey: exports.secretKey });
  expect(await outcomeOf(forged.statObject('esd-images', 'object'))).not.toBe('OK');
  expect(await outcomeOf(openAs(keyOf('x')).statObject('esd-images', 'object'))).not.toBe('OK');
});

test('object-store.sh writes the same identities from the environment, plus a key for backups', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'esd-script-'));
  try {
    await writeFile(join(folder, 'weed'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const backup = keyOf('backup');
    const start = async (media: StoreKey, exporting: StoreKey): Promise<unknown> => {
      const env = {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        TMPDIR: folder,
        ESD_S3_ACCESS_KEY: backup.accessKey,
        ESD_S3_SECRET_KEY: backup.secretKey,
        ESD_S3_ACCESS_KEY_MEDIA: media.accessKey,
        ESD_S3_SECRET_KEY_MEDIA: media.secretKey,
        ESD_S3_ACCESS_KEY_EXPORT: exporting.accessKey,
        ESD_S3_SECRET_KEY_EXPORT: exporting.secretKey,
      };
      const script = join(root, 'deploy', 'k8s', 'servers', 'object-store.sh');
      const { stdout } = await run('sh', [script, 'mini', '-dir=/objects'], { env });
      expect(stdout).toBe(`mini -dir=/objects -s3.config=${folder}/s3.json\n`);
      return withoutNames(await readFile(join(folder, 's3.json'), 'utf8'));
    };
    const both = { ...backup, buckets: ['esd-images', 'esd-exports'] };
    expect(await start(images, exports)).toEqual(withoutNames(objectStoreIdentities([both, images, exports])));
  } finally {
    await rm(folder, { recursive: true });
  }
});

const withoutNames = (json: string): unknown =>
  array(member(JSON.parse(json), 'identities')).map((one) => [member(one, 'credentials'), member(one, 'actions')]);
