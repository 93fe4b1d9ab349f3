import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import type { TestStack } from '@esd/testing/stack';

const DIRECTORY = 0o20000000000;
const listing = z.looseObject({
  Entries: z.array(z.looseObject({ FullPath: z.string(), Mode: z.number() })).nullish(),
});

/** The keys of the objects of a bucket below a folder, such as `versions`, as the store of the stack has them in its files. */
export async function storedObjects(stack: TestStack, bucket: string, folder: string): Promise<string[]> {
  const options = await readFile(join(stack.dataDir, 'objects', 'mini.options'), 'utf8');
  const port = /^filer\.port=(\d+)$/m.exec(options)?.[1] ?? '';
  const root = `/buckets/${bucket}/`;
  const walk = async (path: string): Promise<string[]> => {
    const answer = await request(`http://127.0.0.1:${port}${path}/?limit=10000`, {
      headers: { accept: 'application/json' },
    });
    if (answer.status === 404) return [];
    const entries = listing.parse(answer.json).Entries ?? [];
    const keys = entries.map(({ FullPath, Mode }) =>
      Mode & DIRECTORY ? walk(FullPath) : Promise.resolve([FullPath.slice(root.length)]),
    );
    return (await Promise.all(keys)).flat();
  };
  return (await walk(root + folder)).sort();
}
