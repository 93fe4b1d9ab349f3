import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startObjectStore, type TestObjectStore } from '@esd/testing/object-store';
import { hashFile } from '../src/file-hash.ts';
import { counter } from '@esd/service/health/metrics';
import { type ListedObject, type ObjectStore, openObjectStore } from '../src/object-store.ts';
import { openS3Client } from '../src/s3-client.ts';

const MB = 1024 * 1024;

let folder: string;
let server: TestObjectStore;
let store: ObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-objects-test-'));
  server = await startObjectStore();
  store = openObjectStore(server.config);
});
afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

const fileOf = async (content: Buffer | string): Promise<string> => {
  const path = join(folder, randomBytes(8).toString('hex'));
  await writeFile(path, content);
  return path;
};
const hashOf = (algorithm: string, content: Buffer | string): string =>
  createHash(algorithm).update(content).digest('hex');

async function read(key: string, range?: { start: number; end: number }): Promise<Buffer | undefined> {
  const opened = await store.open(key, { range });
  return opened && (await buffer(opened.body));
}

async function listAll(one: ObjectStore, prefix?: string): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of one.list(prefix)) listed.push(object);
  return listed;
}

describe('an object', () => {
  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['a small file', Buffer.from('small')],
    // The S3 client's own upload would send it in parts.
    ['a large file', randomBytes(33 * MB)],
  ])('of %s is stored unchanged, hashed, and read back', async (name, content) => {
    const stored = await store.put(`whole/${name} ü`, await fileOf(content));
    expect(stored).toEqual({
      bytes: content.length,
      sha256: hashOf('sha256', content),
      crc32: crc32(content),
      entityTag: hashOf('md5', content),
    });
    expect((await read(`whole/${name} ü`))?.equals(content)).toBe(true);
  });

  test('has its stored media type', async () => {
    await store.put('typed', await fileOf('x'), { mediaType: 'image/png' });
    const client = openS3Client(server.config);
    const { metaData } = await client.statObject(server.config.ESD_S3_BUCKET, 'typed');
    expect(metaData['content-type']).toBe('image/png');
  });

  test('is read in ranges, with its entity tag', async () => {
    const { entityTag } = await store.put('ranges', await fileOf('0123456789'));
    expect(String(await read('ranges', { start: 2, end: 4 }))).toBe('234');
    expect(String(await read('ranges', { start: 8, end: 99 }))).toBe('89');
    expect(await read('ranges', { start: 10, end: 11 })).toBeUndefined();
    const opened = await store.open('ranges', { range: { start: 0, end: 0 } });
    opened?.body.destroy();
    expect(opened?.entityTag).toBe(entityTag);
  });

  test('exists only between put and remove', async () => {
    expect(await store.exists('gone')).toBe(false);
    expect(await store.open('gone')).toBeUndefined();
    await store.put('gone', await fileOf('x'));
    expect(await store.exists('gone')).toBe(true);
    await store.remove(['gone', 'never there']);
    expect(await store.exists('gone')).toBe(false);
    await store.remove([]);
  });

  test('stored with `once` is not overwritten', async () => {
    const first = await store.put('once', await fileOf('first'), { once: true });
    expect(await store.put('once', await fileOf('first'), { once: true })).toEqual(first);
    await expect(store.put('once', await fileOf('other'), { once: true })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(String(await read('once'))).toBe('first');
    await store.put('once', await fileOf('other'));
    expect(String(await read('once'))).toBe('other');
  });
});

test('objects are listed by prefix in key order', async () => {
  for (const name of ['b', 'a/1', 'c']) await store.put(`listed/${name}`, await fileOf(name));
  const listed = await listAll(store, 'listed/');
  expect(listed.map(({ key }) => key)).toEqual(['listed/a/1', 'listed/b', 'listed/c']);
  expect(listed[1]).toMatchObject({ bytes: 1, entityTag: hashOf('md5', 'b') });
  expect(Math.abs((listed[1]?.modifiedAt.getTime() ?? 0) - Date.now())).toBeLessThan(600_000);
  expect(await listAll(store, 'nothing/')).toEqual([]);
});

test('old incomplete multipart uploads are aborted', async () => {
  const client = openS3Client(server.config);
  await client.initiateNewMultipartUpload(server.config.ESD_S3_BUCKET, 'unfinished', {});
  expect(await store.removeIncomplete(new Date(Date.now() - 3_600_000))).toEqual([]);
  expect(await store.removeIncomplete(new Date(Date.now() + 3_600_000))).toEqual(['unfinished']);
});

test('an aborted call throws the reason of its signal', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(store.open('whole/a small file ü', { signal: gone })).rejects.toThrow('gone');
  await expect(store.put('aborted', await fileOf('x'), { signal: gone })).rejects.toThrow('gone');
});

test('a file that cannot be read is not stored', async () => {
  await expect(store.put('unread', join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await store.exists('unread')).toBe(false);
});

test('hashFile computes all hashes of a file', async () => {
  expect(await hashFile(await fileOf('abc'))).toEqual({
    bytes: 3,
    sha256: hashOf('sha256', 'abc'),
    md5: hashOf('md5', 'abc'),
    crc32: 0x352441c2,
  });
});

async function listen(one: Server): Promise<string> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  // Safe cast: the server listens on a port.
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
}

test('an upload whose bytes change in transit fails', async () => {
  const proxy = createHttpServer((incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const onward = request(server.config.ESD_S3_ENDPOINT, { method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
    });
    incoming.on('data', (chunk: Buffer) => {
      chunk[0] = (chunk[0] ?? 0) ^ 1;
      onward.write(chunk);
    });
    incoming.on('end', () => onward.end());
  });
  try {
    const damaging = openObjectStore({ ...server.config, ESD_S3_ENDPOINT: await listen(proxy) });
    await expect(damaging.put('damaged', await fileOf('sound'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: 'the object store received different bytes for damaged than were sent' },
    });
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

const calls: [string, (store: ObjectStore) => Promise<unknown>][] = [
  ['put', async (one) => one.put('x', await fileOf('x'))],
  ['open', (one) => one.open('x')],
  ['exists', (one) => one.exists('x')],
  ['remove', (one) => one.remove(['x'])],
  ['list', (one) => listAll(one)],
  ['removeIncomplete', (one) => one.removeIncomplete(new Date())],
];

test.each(calls)('%s throws UNAVAILABLE if the store does not respond', async (_, call) => {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  try {
    const config = { ...server.config, ESD_S3_ENDPOINT: await listen(silent) };
    const deadlines = { responseMs: 50, uploadMs: 50, idleMs: 50 };
    await expect(call(openObjectStore(config, deadlines))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 5,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('a call that the store answers with 503 throws UNAVAILABLE and is counted; a missing object is not', async () => {
  const errors = async () => (await counter('esd_object_store_errors_total').get()).values[0]?.value ?? 0;
  const failing = createHttpServer((_, answer) => answer.writeHead(503).end());
  try {
    const failingStore = openObjectStore({ ...server.config, ESD_S3_ENDPOINT: await listen(failing) });
    const before = await errors();
    await expect(failingStore.open('x')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await errors()).toBe(before + 1);
    expect(await store.open('absent')).toBeUndefined();
    expect(await errors()).toBe(before + 1);
  } finally {
    failing.closeAllConnections();
    failing.close();
  }
});

test('every call throws UNAVAILABLE while the store is down, and works afterwards', async () => {
  await store.dependency.check(AbortSignal.timeout(60_000));
  await server.stop();
  for (const [, call] of calls) await expect(call(store)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(store.dependency.check(AbortSignal.timeout(60_000))).rejects.toThrow();
  await server.start();
  await store.dependency.check(AbortSignal.timeout(60_000));
  await store.put('back', await fileOf('back'));
  expect(String(await read('back'))).toBe('back');
});

test('a forged key causes UNAVAILABLE', async () => {
  const forged = openObjectStore({ ...server.config, ESD_S3_SECRET_KEY: 'forged' });
  await store.put('secret', await fileOf('secret'));
  await expect(forged.open('secret')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(forged.put('secret', await fileOf('other'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(String(await read('secret'))).toBe('secret');
});

test('the region and the session token of the settings are sent; a store that refuses the region is named as the cause', async () => {
  const requests: { headers: IncomingHttpHeaders; url: string | undefined }[] = [];
  const refusing = createHttpServer(({ headers, url }, answer) => {
    requests.push({ headers, url });
    answer.writeHead(400, { 'x-amz-bucket-region': 'eu-north-1' }).end();
  });
  try {
    const settings = { ESD_S3_REGION: 'eu-west-1', ESD_S3_SESSION_TOKEN: 'temporary' };
    const regional = openObjectStore({ ...server.config, ...settings, ESD_S3_ENDPOINT: await listen(refusing) });
    await expect(regional.dependency.check(AbortSignal.timeout(60_000))).rejects.toThrow(
      'The object store refuses the region eu-west-1 of ESD_S3_REGION. The bucket is in eu-north-1.',
    );
    await expect(regional.open('x')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const [checked, opened] = requests;
    expect(checked?.headers.authorization).toContain('/eu-west-1/s3/');
    expect(checked?.headers['x-amz-security-token']).toBe('temporary');
    expect(opened?.url).toMatch(/%2Feu-west-1%2Fs3%2F.*X-Amz-Security-Token=temporary/);
  } finally {
    refusing.closeAllConnections();
    refusing.close();
  }
});
