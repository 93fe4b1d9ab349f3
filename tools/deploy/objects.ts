import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Client } from 'minio';

/*
 * Copies buckets to a folder and back:
 *
 *   objects.ts backup LISTS OBJECTS BUCKET...    OBJECTS/BUCKET/<key> for each object that is not there yet, LISTS/BUCKET.sha256
 *   objects.ts restore LISTS OBJECTS BUCKET...   puts into each bucket what its list names
 *
 * A list has the form of sha256sum. One folder of objects serves many lists: an object is never changed under its key.
 * OBJECTS/BUCKET.sha256 keeps what each was when it came, so that a copy that rots is noticed and fetched anew.
 * The store is that of ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY and ESD_S3_SECRET_KEY.
 */

interface Listed {
  name: string;
  size: number;
  etag: string;
}

interface Hashes {
  size: number;
  md5: string;
  sha256: string;
}

const PART_BYTES = 64 * 1024 * 1024;
const SILENT_MS = 60_000;
// An object that was sent in parts has another kind of ETag, which tells nothing of its bytes.
const MD5 = /^[0-9a-f]{32}$/;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

function openStore(): Client {
  const { ESD_S3_ENDPOINT: endpoint, ESD_S3_ACCESS_KEY: accessKey, ESD_S3_SECRET_KEY: secretKey } = process.env;
  if (!endpoint || !accessKey || !secretKey) {
    throw new Error('Set ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY and ESD_S3_SECRET_KEY to those of the object store.');
  }
  const { protocol, hostname, port } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  return new Client({
    endPoint: hostname,
    port: port === '' ? (useSSL ? 443 : 80) : Number(port),
    useSSL,
    accessKey,
    secretKey,
    pathStyle: true,
    region: 'us-east-1',
    partSize: PART_BYTES,
    transport: impatient(useSSL ? https : http),
  });
}

/** The client itself waits for ever. */
function impatient({ request }: Pick<typeof http, 'request'>): Pick<typeof http, 'request'> {
  const send = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void) => {
    const sent = request(options, onResponse);
    return sent.setTimeout(SILENT_MS, () => sent.destroy(new Error('the object store does not answer')));
  };
  // Of the forms that it may have, the client uses this one alone.
  return { request: send as typeof http.request };
}

async function backUp(client: Client, bucket: string, lists: string, objects: string): Promise<string> {
  const keptList = join(objects, `${bucket}.sha256`);
  const kept = existsSync(keptList) ? await readList(keptList) : new Map<string, string>();
  const lines: string[] = [];
  let copied = 0;
  for await (const listed of list(client, bucket)) {
    const { name } = listed;
    const file = fileOf(objects, bucket, name);
    let hashes = existsSync(file) ? await hash(file) : undefined;
    if (!hashes || hashes.sha256 !== kept.get(name) || !isSame(hashes, listed)) {
      if (!(await fetchObject(client, bucket, name, file))) continue;
      hashes = await hash(file);
      if (!isSame(hashes, listed)) throw new Error(`${bucket}/${name} did not arrive as the store lists it`);
      await appendFile(keptList, `${hashes.sha256}  ${name}\n`);
      copied += 1;
    }
    lines.push(`${hashes.sha256}  ${name}\n`);
  }
  await writeFile(join(lists, `${bucket}.sha256`), lines.join(''));
  return `${bucket}: ${lines.length} objects, ${copied} of them new`;
}

/** False when the object has gone since it was listed: nobody needs it then. */
async function fetchObject(client: Client, bucket: string, name: string, file: string): Promise<boolean> {
  const part = `${file}.part`;
  await mkdir(dirname(file), { recursive: true });
  try {
    const body = await client.getObject(bucket, name);
    await pipeline(body, createWriteStream(part));
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && 'code' in error && error.code === 'NoSuchKey') return false;
    throw error;
  }
  await rename(part, file);
  return true;
}

async function restore(client: Client, bucket: string, lists: string, objects: string): Promise<string> {
  if (!(await client.bucketExists(bucket))) throw new Error(`there is no bucket ${bucket}: make it first`);
  const there = new Map<string, Listed>();
  for await (const listed of list(client, bucket)) there.set(listed.name, listed);
  const wanted = await readList(join(lists, `${bucket}.sha256`));
  let copied = 0;
  for (const [name, sha256] of wanted) {
    const file = fileOf(objects, bucket, name);
    const hashes = await hash(file);
    if (hashes.sha256 !== sha256) throw new Error(`${file} is not what was backed up: its SHA-256 is ${hashes.sha256}`);
    const listed = there.get(name);
    if (listed && isSame(hashes, listed)) continue;
    await send(client, bucket, name, file, hashes);
    copied += 1;
  }
  return `${bucket}: ${wanted.size} objects, ${copied} of them sent`;
}

async function send(client: Client, bucket: string, name: string, file: string, hashes: Hashes): Promise<void> {
  const source = createReadStream(file);
  try {
    // The client never settles when its source fails.
    const failed = new Promise<never>((_, reject) => source.once('error', reject));
    await Promise.race([client.putObject(bucket, name, source, hashes.size), failed]);
  } finally {
    source.destroy();
  }
  const stored = createHash('sha256');
  await pipeline(await client.getObject(bucket, name), stored);
  if (stored.digest('hex') !== hashes.sha256) throw new Error(`${bucket}/${name} is not in the store as it was sent`);
}

async function* list(client: Client, bucket: string): AsyncGenerator<Listed> {
  const items: AsyncIterable<{ name?: string; size?: number; etag?: string }> = client.listObjectsV2(bucket, '', true);
  for await (const { name, size, etag } of items) {
    if (name === undefined || size === undefined || etag === undefined) throw new Error(`${bucket} cannot be listed`);
    yield { name, size, etag };
  }
}

/** SHA-256 by key; the last line of a key counts. */
async function readList(file: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    const [, sha256, name] = LINE.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) throw new Error(`${file}: "${line}" is not a line of sha256sum`);
    sums.set(name, sha256);
  }
  return sums;
}

function isSame({ size, md5 }: Hashes, listed: Listed): boolean {
  return size === listed.size && (!MD5.test(listed.etag) || md5 === listed.etag);
}

function fileOf(objects: string, bucket: string, name: string): string {
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..' || part.includes('\n'))) {
    throw new Error(`${bucket}/${name} cannot be the name of a file`);
  }
  return join(objects, bucket, name);
}

async function hash(file: string): Promise<Hashes> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  const chunks: AsyncIterable<Buffer> = createReadStream(file);
  for await (const chunk of chunks) {
    md5.update(chunk);
    sha256.update(chunk);
  }
  return { size: (await stat(file)).size, md5: md5.digest('hex'), sha256: sha256.digest('hex') };
}

const [verb = '', lists, objects, ...buckets] = process.argv.slice(2);
const verbs = new Map([
  ['backup', backUp],
  ['restore', restore],
]);
const work = verbs.get(verb);
try {
  if (!work || lists === undefined || objects === undefined || buckets.length === 0) {
    throw new Error('objects.ts backup|restore LISTS OBJECTS BUCKET...');
  }
  const client = openStore();
  for (const bucket of buckets) console.log(await work(client, bucket, lists, objects));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
