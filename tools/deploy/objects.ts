import { createWriteStream, existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type FileHash, hashFile } from '@esd/object-store/file-hash';
import { type ListedObject, type ObjectStore, openObjectStore } from '@esd/object-store/object-store';

/*
 * Copies buckets to a folder and back:
 *
 *   objects.ts backup LISTS OBJECTS BUCKET...    writes missing objects to OBJECTS/BUCKET/<key>, and the list LISTS/BUCKET.sha256
 *   objects.ts restore LISTS OBJECTS BUCKET...   uploads the objects of each list to its bucket
 *
 * A list has the format of sha256sum. Objects are immutable, so one folder of objects serves many lists. OBJECTS/BUCKET.sha256 contains the
 * hash of each object when it was fetched; a corrupted file is detected and fetched again. ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY and
 * ESD_S3_SECRET_KEY select the store.
 */

// Longer than the timeouts of the services, because a backup is not urgent.
const SILENT_MS = 60_000;
// The entity tag of a multipart upload is not an MD5 of the bytes.
const MD5 = /^[0-9a-f]{32}$/;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

function openBucket(bucket: string): ObjectStore {
  const { ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY } = process.env;
  if (!ESD_S3_ENDPOINT || !ESD_S3_ACCESS_KEY || !ESD_S3_SECRET_KEY) {
    throw new Error('Set ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY and ESD_S3_SECRET_KEY for the object store.');
  }
  const config = { ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY, ESD_S3_BUCKET: bucket };
  return openObjectStore(config, { responseMs: SILENT_MS, uploadMs: SILENT_MS, idleMs: SILENT_MS });
}

async function backUp(bucket: string, lists: string, objects: string): Promise<string> {
  const store = openBucket(bucket);
  const hashList = join(objects, `${bucket}.sha256`);
  const known = existsSync(hashList) ? await readList(hashList) : new Map<string, string>();
  const lines: string[] = [];
  let copied = 0;
  for await (const listed of store.list()) {
    const { key: name } = listed;
    const file = fileOf(objects, bucket, name);
    let hashes = existsSync(file) ? await hashFile(file) : undefined;
    if (!hashes || hashes.sha256 !== known.get(name) || !isSame(hashes, listed)) {
      if (!(await fetchObject(store, name, file))) continue;
      hashes = await hashFile(file);
      if (!isSame(hashes, listed))
        throw new Error(`${bucket}/${name}: the downloaded bytes differ from the listing of the store. Try again.`);
      await appendFile(hashList, `${hashes.sha256}  ${name}\n`);
      copied += 1;
    }
    lines.push(`${hashes.sha256}  ${name}\n`);
  }
  await writeFile(join(lists, `${bucket}.sha256`), lines.join(''));
  return `${bucket}: ${lines.length} objects, ${copied} new`;
}

/** Returns false if the object was deleted after the listing. */
async function fetchObject(store: ObjectStore, key: string, file: string): Promise<boolean> {
  const opened = await store.open(key);
  if (!opened) return false;
  const part = `${file}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await pipeline(opened.body, createWriteStream(part));
  } catch (error) {
    opened.body.destroy();
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, file);
  return true;
}

async function restore(bucket: string, lists: string, objects: string): Promise<string> {
  const store = openBucket(bucket);
  await store.dependency.check(AbortSignal.timeout(SILENT_MS));
  const there = new Map<string, ListedObject>();
  for await (const listed of store.list()) there.set(listed.key, listed);
  const wanted = await readList(join(lists, `${bucket}.sha256`));
  let copied = 0;
  for (const [name, sha256] of wanted) {
    const file = fileOf(objects, bucket, name);
    const hashes = await hashFile(file);
    if (hashes.sha256 !== sha256)
      throw new Error(
        `${file} is corrupted: expected SHA-256 ${sha256}, got ${hashes.sha256}. Restore the file from another backup.`,
      );
    const listed = there.get(name);
    if (listed && isSame(hashes, listed)) continue;
    await store.put(name, file);
    copied += 1;
  }
  return `${bucket}: ${wanted.size} objects, ${copied} uploaded`;
}

async function readList(file: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (line === '') continue;
    const [, sha256, name] = LINE.exec(line) ?? [];
    if (sha256 === undefined || name === undefined)
      throw new Error(`${file}: "${line}" is not in the format of sha256sum`);
    sums.set(name, sha256);
  }
  return sums;
}

function isSame({ bytes, md5 }: FileHash, listed: ListedObject): boolean {
  return bytes === listed.bytes && (!MD5.test(listed.entityTag) || md5 === listed.entityTag);
}

function fileOf(objects: string, bucket: string, name: string): string {
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..' || part.includes('\n'))) {
    throw new Error(`${bucket}/${name} cannot be stored as a file`);
  }
  return join(objects, bucket, name);
}

const [verb = '', lists, objects, ...buckets] = process.argv.slice(2);
const verbs = new Map([
  ['backup', backUp],
  ['restore', restore],
]);
const work = verbs.get(verb);
try {
  if (!work || lists === undefined || objects === undefined || buckets.length === 0) {
    throw new Error('Usage: objects.ts backup|restore LISTS OBJECTS BUCKET...');
  }
  for (const bucket of buckets) console.log(await work(bucket, lists, objects));
} catch (error) {
  const cause = Error.isError(error) && Error.isError(error.cause) ? ` (${error.cause.message})` : '';
  console.error(Error.isError(error) ? `${error.message}${cause}` : error);
  process.exitCode = 1;
}
