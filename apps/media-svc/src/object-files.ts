import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Client, S3Error } from 'minio';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';

// One request of the client takes as much.
const ONE_REQUEST_BYTES = 8 * 1024 * 1024;

/** The objects of media-svc; every failure of the store is UNAVAILABLE. */
export interface ObjectFiles {
  /** Stores a file under a key that nothing else uses. */
  put(key: string, file: string, bytes: number): Promise<void>;
  /** An object or `length` bytes of it from `offset`; undefined when there is none. */
  read(key: string, range?: { offset: number; length: number }): Promise<Readable | undefined>;
  exists(key: string): Promise<boolean>;
  /** Removes objects; those that are not there are no error. */
  remove(keys: readonly string[]): Promise<void>;
  list(): AsyncGenerator<{ key: string; modifiedAt: Date }>;
  /** Ends the uploads in parts that were begun before `before` and never finished; returns their keys. */
  removeIncomplete(before: Date): Promise<string[]>;
}

const listed = z.object({ name: z.string(), lastModified: z.date() });
const incomplete = z.object({ key: z.string(), initiated: z.coerce.date() });

/** The objects of one bucket. */
export function objectFiles(client: Client, bucket: string): ObjectFiles {
  return {
    put: (key, file, bytes) =>
      reaching(async () => {
        const metadata = { 'Content-Type': 'image/png' };
        if (bytes <= ONE_REQUEST_BYTES) {
          await client.putObject(bucket, key, await readFile(file), bytes, metadata);
          return;
        }
        const source = createReadStream(file);
        try {
          // The client never settles when its source fails.
          const failed = new Promise<never>((_, reject) => source.once('error', reject));
          await Promise.race([client.putObject(bucket, key, source, bytes, metadata), failed]);
        } catch (error) {
          await client.removeIncompleteUpload(bucket, key).catch(() => undefined);
          throw error;
        } finally {
          source.destroy();
        }
      }),
    read: (key, range) =>
      unlessMissing(() =>
        range ? client.getPartialObject(bucket, key, range.offset, range.length) : client.getObject(bucket, key),
      ),
    exists: async (key) => (await unlessMissing(() => client.statObject(bucket, key))) !== undefined,
    remove: (keys) =>
      reaching(async () => {
        await client.removeObjects(bucket, [...keys]);
      }),
    list: async function* () {
      const items = client.listObjectsV2(bucket, '', true)[Symbol.asyncIterator]();
      for (;;) {
        const next = await reaching(() => items.next());
        if (next.done === true) return;
        const { name, lastModified } = listed.parse(next.value);
        yield { key: name, modifiedAt: lastModified };
      }
    },
    removeIncomplete: (before) =>
      reaching(async () => {
        const keys: string[] = [];
        for await (const item of client.listIncompleteUploads(bucket, '', true)) {
          const { key, initiated } = incomplete.parse(item);
          if (initiated < before) keys.push(key);
        }
        for (const key of keys) await client.removeIncompleteUpload(bucket, key);
        return keys;
      }),
  };
}

const MISSING = new Set(['NoSuchKey', 'NotFound']);

async function unlessMissing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  return await reaching(async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof S3Error && MISSING.has(error.code ?? '')) return undefined;
      throw error;
    }
  });
}

async function reaching<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new ServiceError('UNAVAILABLE', 'The images cannot be reached at the moment; try again.', cause, 5);
  }
}
