import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import type { TestStack } from '@esd/testing/stack';

/** The mode of a folder in the notation of Go. */
const FOLDER = 2 ** 31;
const listing = z.looseObject({
  Entries: z.array(z.looseObject({ FullPath: z.string(), Mode: z.number() })).nullish(),
});

/** Returns the keys of the objects in a bucket, or below one of its folders. */
export async function storedObjects(stack: TestStack, bucket: string, folder?: string): Promise<string[]> {
  const root = await bucketUrl(stack, bucket);
  const walk = async (key: string): Promise<string[]> => {
    const answer = await request(`${root}${key}/?limit=10000`, { headers: { accept: 'application/json' } });
    if (answer.status === 404) return [];
    const entries = listing.parse(answer.json).Entries ?? [];
    const keys = entries.map(({ FullPath, Mode }) => {
      const found = FullPath.slice(`/buckets/${bucket}/`.length);
      return Mode >= FOLDER ? walk(found) : Promise.resolve([found]);
    });
    return (await Promise.all(keys)).flat();
  };
  return (await walk(folder ?? '')).sort();
}

/** Deletes an object without its service. */
export async function removeStoredObject(stack: TestStack, bucket: string, key: string): Promise<void> {
  const { status } = await request((await bucketUrl(stack, bucket)) + key, { method: 'DELETE' });
  if (status !== 204) throw new Error(`the store answered with ${status}`);
}

/** Replaces the content of an object without its service. */
export async function replaceStoredObject(
  stack: TestStack,
  bucket: string,
  key: string,
  content: string,
): Promise<void> {
  const { status } = await request((await bucketUrl(stack, bucket)) + key, { method: 'PUT', body: content });
  if (status !== 201) throw new Error(`the store answered with ${status}`);
}

async function bucketUrl(stack: TestStack, bucket: string): Promise<string> {
  const options = await readFile(join(stack.dataDir, 'objects', 'mini.options'), 'utf8');
  return `http://127.0.0.1:${/^filer\.port=(\d+)$/m.exec(options)?.[1] ?? ''}/buckets/${bucket}/`;
}
