import { createWriteStream, existsSync } from 'node:fs';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type FileHash, hashFile } from '@esd/object-store/file-hash';
import { type ListedObject, type ObjectStore, openObjectStore } from '@esd/object-store/object-store';
import { EXIT } from '../admin/admin-error.ts';
import { checkFile, type ListedHash, poolFile, readList } from './object-pool.ts';

/*
 * Copies buckets to a folder and back:
 *
 *   objects.ts backup LISTS POOL BUCKET...    adds missing objects to the pool, and writes the list LISTS/BUCKET.sha256
 *   objects.ts restore LISTS POOL BUCKET...   uploads the objects of each list to its bucket
 *
 * A list has the format of sha256sum. POOL/BUCKET.objects records the SHA-256 and the entity tag of each key. The exit status is 4 if the
 * work is done, except for objects that were reported: a backup lists the recorded content of an object that changed under its key, and
 * a restore omits missing and damaged objects. The settings ESD_S3_* are those of the services.
 */

// Longer than the timeouts of the services, because a backup is not urgent.
const SILENT_MS = 60_000;
// The entity tag of a multipart upload is not an MD5 of the bytes.
const MD5 = /^[0-9a-f]{32}$/;
// export-svc builds these files again after it has deleted them. All other keys are written once.
const REBUILT = 'built/';

function reportObject(message: string): void {
  console.error(message);
  process.exitCode = EXIT.damaged;
}

async function openBucket(bucket: string): Promise<ObjectStore> {
  const { ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY, ESD_S3_SESSION_TOKEN, ESD_S3_REGION } = process.env;
  if (!ESD_S3_ENDPOINT || !ESD_S3_ACCESS_KEY || !ESD_S3_SECRET_KEY) {
    throw new Error('Set ESD_S3_ENDPOINT, ESD_S3_ACCESS_KEY and ESD_S3_SECRET_KEY for the object store.');
  }
  const keys = { ESD_S3_ACCESS_KEY, ESD_S3_SECRET_KEY, ESD_S3_SESSION_TOKEN };
  const config = { ESD_S3_ENDPOINT, ...keys, ESD_S3_REGION, ESD_S3_BUCKET: bucket };
  const store = openObjectStore(config, { responseMs: SILENT_MS, uploadMs: SILENT_MS, idleMs: SILENT_MS });
  await store.dependency.check(AbortSignal.timeout(SILENT_MS));
  return store;
}

async function backUp(bucket: string, lists: string, pool: string): Promise<string> {
  const store = await openBucket(bucket);
  const recordFile = join(pool, `${bucket}.objects`);
  const recorded = existsSync(recordFile) ? await readList(recordFile) : new Map<string, ListedHash>();
  const lines: string[] = [];
  let copied = 0;
  for await (const listed of store.list()) {
    const { key, entityTag } = listed;
    if (key.includes('\n'))
      throw new Error(`${bucket}/${JSON.stringify(key)} cannot be listed because of its line feed.`);
    const record = recorded.get(key);
    const stored = record && (await checkFile(poolFile(pool, record.sha256), record.sha256));
    let sha256 = record?.sha256;
    if (sha256 === undefined || record?.entityTag !== entityTag || typeof stored === 'string') {
      const fetched = join(lists, 'fetched.part');
      if (!(await fetchObject(store, key, fetched))) continue;
      const hash = await hashFile(fetched);
      if (!isSame(hash, listed))
        throw new Error(`${bucket}/${key}: the downloaded bytes differ from the listing of the store. Try again.`);
      if (sha256 !== undefined && sha256 !== hash.sha256 && !key.startsWith(REBUILT)) {
        await rm(fetched);
        reportObject(
          `${bucket}/${key} has changed in the store: expected SHA-256 ${sha256}, got ${hash.sha256}. The backup lists the expected one; see EsdBackupFailed in docs/operations.md.`,
        );
      } else {
        ({ sha256 } = hash);
        if (await addToPool(fetched, pool, sha256)) copied += 1;
        await appendFile(recordFile, `${sha256} ${entityTag} ${key}\n`);
      }
    }
    lines.push(`${sha256}  ${key}\n`);
  }
  await writeFile(join(lists, `${bucket}.sha256`), lines.join(''));
  return `${bucket}: ${lines.length} objects, ${copied} new`;
}

/** Returns false if the object was deleted after the listing. */
async function fetchObject(store: ObjectStore, key: string, file: string): Promise<boolean> {
  const opened = await store.open(key);
  if (!opened) return false;
  await pipeline(opened.body, createWriteStream(file));
  return true;
}

/** Moves a file into the pool. Returns false, and deletes the file, if the pool has its content. */
async function addToPool(file: string, pool: string, sha256: string): Promise<boolean> {
  const target = poolFile(pool, sha256);
  if (typeof (await checkFile(target, sha256)) !== 'string') {
    await rm(file);
    return false;
  }
  await mkdir(dirname(target), { recursive: true });
  await rename(file, target);
  return true;
}

async function restore(bucket: string, lists: string, pool: string): Promise<string> {
  const store = await openBucket(bucket);
  const listedByKey = new Map<string, ListedObject>();
  for await (const listed of store.list()) listedByKey.set(listed.key, listed);
  const list = await readList(join(lists, `${bucket}.sha256`));
  let copied = 0;
  for (const [key, { sha256 }] of list) {
    const file = poolFile(pool, sha256);
    const hash = await checkFile(file, sha256);
    if (typeof hash === 'string') {
      reportObject(`${bucket}/${key} is not restored: ${file} is ${hash}. See "Restore" in docs/operations.md.`);
      continue;
    }
    const listed = listedByKey.get(key);
    if (listed?.entityTag === hash.md5 && listed.bytes === hash.bytes) continue;
    await store.put(key, file, { hash });
    copied += 1;
  }
  return `${bucket}: ${list.size} objects, ${copied} uploaded`;
}

function isSame({ bytes, md5 }: FileHash, listed: ListedObject): boolean {
  return bytes === listed.bytes && (!MD5.test(listed.entityTag) || md5 === listed.entityTag);
}

const [verb = '', lists, pool, ...buckets] = process.argv.slice(2);
const verbs = new Map([
  ['backup', backUp],
  ['restore', restore],
]);
const work = verbs.get(verb);
try {
  if (!work || lists === undefined || pool === undefined || buckets.length === 0) {
    throw new Error('Usage: objects.ts backup|restore LISTS POOL BUCKET...');
  }
  for (const bucket of buckets) console.log(await work(bucket, lists, pool));
} catch (error) {
  const cause = Error.isError(error) && Error.isError(error.cause) ? ` (${error.cause.message})` : '';
  console.error(Error.isError(error) ? `${error.message}${cause}` : error);
  process.exitCode = 1;
}
