import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ServiceError } from '@esd/service/errors';
import { counter } from '@esd/service/health/metrics';
import type { Dependency } from '@esd/service/health/readiness';
import { type Client, S3Error } from 'minio';
import { z } from 'zod';
import { type FileHash, HashingPass, hashFile } from './file-hash.ts';
import { DEADLINES, DEFAULT_REGION, openS3Client, type S3Config, type S3Deadlines } from './s3-client.ts';
import { sendSigned } from './send-signed.ts';

export interface ObjectStoreConfig extends S3Config {
  ESD_S3_BUCKET: string;
}

export interface StoredObject {
  bytes: number;
  /** Hex. */
  sha256: string;
  crc32: number;
  /** Distinguishes this object from any other ever stored under its key. */
  entityTag: string;
}

export interface PutOptions {
  /** Does not overwrite: an existing object under the key must have the same content. */
  once?: boolean;
  mediaType?: string;
  /** The known hash of the file; computed if absent. */
  hash?: FileHash;
  signal?: AbortSignal;
}

export interface OpenOptions {
  /** Bytes `start` to `end`, both inclusive; the whole object by default. */
  range?: { start: number; end: number } | undefined;
  signal?: AbortSignal;
}

/** A stream of an object or a range of it. The reader must end or destroy `body`. */
export interface OpenedObject {
  body: Readable;
  entityTag: string;
}

export interface ListedObject {
  key: string;
  bytes: number;
  entityTag: string;
  modifiedAt: Date;
}

/**
 * The objects of one bucket. Calls throw UNAVAILABLE if the store is unreachable, rejects the request, or exceeds the
 * deadlines. They throw the reason of their signal if it aborts.
 */
export interface ObjectStore {
  /**
   * Streams a local file to the store in one request. Also throws UNAVAILABLE if the store reports different bytes than were
   * sent. With `once`, throws CONFLICT if another object exists under the key.
   */
  put(key: string, path: string, options?: PutOptions): Promise<StoredObject>;
  /** Opens an object or a range of it; undefined if the object does not exist or the range is outside it. */
  open(key: string, options?: OpenOptions): Promise<OpenedObject | undefined>;
  exists(key: string): Promise<boolean>;
  /** Deletes objects; ignores missing ones. */
  remove(keys: readonly string[]): Promise<void>;
  /** Lists the objects whose keys begin with `prefix`, in key order. */
  list(prefix?: string): AsyncGenerator<ListedObject>;
  /** Aborts incomplete multipart uploads that began before `before`; returns their keys. */
  removeIncomplete(before: Date): Promise<string[]>;
  dependency: Dependency;
}

const SIGNED_FOR_SECONDS = 600;
const RETRY_SECONDS = 5;
const REGION_ERRORS = new Set(['AuthorizationHeaderMalformed', 'MovedPermanently', 'PermanentRedirect']);
const MISSING = new Set(['NoSuchKey', 'NotFound']);
const MD5 = /^[0-9a-f]{32}$/;
const listedItem = z.object({ name: z.string(), size: z.number(), etag: z.string(), lastModified: z.date() });
const regionError = z.object({ amzBucketRegion: z.string().optional(), code: z.string().optional() });
const incompleteItem = z.object({ key: z.string(), initiated: z.coerce.date() });

const errors = counter('esd_object_store_errors_total');

export function openObjectStore(config: ObjectStoreConfig, deadlines: S3Deadlines = DEADLINES): ObjectStore {
  const client = openS3Client(config, deadlines);
  const bucket = config.ESD_S3_BUCKET;
  // The client only signs uploads and downloads. Its own uploads buffer a file in memory or send it in parts, which cannot
  // be conditional.
  const sign = (method: 'GET' | 'PUT', key: string): Promise<string> =>
    client.presignedUrl(method, bucket, key, SIGNED_FOR_SECONDS);

  return {
    put: async (key, path, { once = false, mediaType = 'application/octet-stream', hash, signal } = {}) => {
      const { size } = await stat(path);
      return await translateErrors(signal, async () => {
        const hashing = new HashingPass();
        const headers = {
          'Content-Length': String(size),
          'Content-Type': mediaType,
          ...(once ? { 'If-None-Match': '*' } : {}),
        };
        const file: AsyncIterable<Buffer> = createReadStream(path);
        const body = hash ? file : hashing.through(file);
        const response = await sendSigned(
          { url: await sign('PUT', key), method: 'PUT', headers, body, signal },
          deadlines,
        );
        response.resume();
        if (once && response.statusCode === 412)
          return await sameObject(client, bucket, key, hash ?? (await hashFile(path)));
        if (response.statusCode !== 200) throw unexpectedStatus('PUT', response);
        const { md5, ...stored } = hash ?? hashing.result();
        const entityTag = entityTagOf(response);
        if (isDifferent(entityTag, md5, response))
          throw new Error(`the object store received different bytes for ${key} than were sent`);
        return { ...stored, entityTag };
      });
    },
    open: (key, { range, signal } = {}) =>
      translateErrors(signal, async () => {
        const headers: Record<string, string> = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
        const response = await sendSigned({ url: await sign('GET', key), method: 'GET', headers, signal }, deadlines);
        if (response.statusCode === (range ? 206 : 200)) return { body: response, entityTag: entityTagOf(response) };
        response.resume();
        if (response.statusCode === 404 || response.statusCode === 416) return undefined;
        throw unexpectedStatus('GET', response);
      }),
    exists: (key) =>
      translateErrors(undefined, async () => {
        try {
          await client.statObject(bucket, key);
          return true;
        } catch (error) {
          if (error instanceof S3Error && MISSING.has(error.code ?? '')) return false;
          throw error;
        }
      }),
    remove: (keys) =>
      translateErrors(undefined, async () => {
        const failed = await client.removeObjects(bucket, [...keys]);
        if (failed.length > 0) throw new Error('the object store did not delete all objects', { cause: failed });
      }),
    list: async function* (prefix = '') {
      const items = client.listObjectsV2(bucket, prefix, true)[Symbol.asyncIterator]();
      for (;;) {
        const next = await translateErrors(undefined, () => items.next());
        if (next.done === true) return;
        const { name, size, etag, lastModified } = listedItem.parse(next.value);
        yield { key: name, bytes: size, entityTag: etag, modifiedAt: lastModified };
      }
    },
    removeIncomplete: (before) =>
      translateErrors(undefined, async () => {
        const keys: string[] = [];
        for await (const item of client.listIncompleteUploads(bucket, '', true)) {
          const { key, initiated } = incompleteItem.parse(item);
          if (initiated < before) keys.push(key);
        }
        for (const key of keys) await client.removeIncompleteUpload(bucket, key);
        return keys;
      }),
    dependency: {
      name: 'object-store',
      needed: false,
      check: async () => {
        const exists = await client.bucketExists(bucket).catch((error: unknown) => {
          throw refusedRegion(error, config.ESD_S3_REGION ?? DEFAULT_REGION) ?? error;
        });
        if (!exists) throw new Error(`there is no bucket ${bucket}`);
      },
    },
  };
}

/** Returns an error that names the region if the store refused a request because of it. */
function refusedRegion(error: unknown, region: string): Error | undefined {
  if (!(error instanceof S3Error)) return undefined;
  const { amzBucketRegion = '', code = '' } = regionError.parse(error);
  const isOther = amzBucketRegion !== '' && amzBucketRegion !== region;
  if (!isOther && !REGION_ERRORS.has(code)) return undefined;
  const correction = isOther ? `The bucket is in ${amzBucketRegion}.` : 'Set it to the region of the bucket.';
  return new Error(`The object store refuses the region ${region} of ESD_S3_REGION. ${correction}`, { cause: error });
}

/** Returns the object under a key. Throws CONFLICT if it differs from the local file. */
async function sameObject(client: Client, bucket: string, key: string, file: FileHash): Promise<StoredObject> {
  const { size, etag } = await client.statObject(bucket, key);
  if (size !== file.bytes || (MD5.test(etag) && etag !== file.md5)) {
    throw new ServiceError('CONFLICT', `Another object is stored under ${key}.`);
  }
  return { bytes: file.bytes, sha256: file.sha256, crc32: file.crc32, entityTag: etag };
}

/** Returns whether the tag is the MD5 of different bytes. With encryption by a key service, the tag is not an MD5. */
function isDifferent(entityTag: string, md5: string, { headers }: IncomingMessage): boolean {
  const encryption = headers['x-amz-server-side-encryption'];
  return MD5.test(entityTag) && entityTag !== md5 && (encryption === undefined || encryption === 'AES256');
}

function entityTagOf({ headers }: IncomingMessage): string {
  return (headers.etag ?? '').replaceAll('"', '');
}

function unexpectedStatus(method: string, { statusCode }: IncomingMessage): Error {
  return new Error(`the object store responded to ${method} with ${statusCode ?? 0}`);
}

async function translateErrors<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ServiceError && cause.code === 'CONFLICT') throw cause;
    errors.inc();
    const message = `Stored files cannot be reached at the moment; try again in ${RETRY_SECONDS} s.`;
    throw new ServiceError('UNAVAILABLE', message, { cause, retryAfterSeconds: RETRY_SECONDS });
  }
}
