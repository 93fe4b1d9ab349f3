import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Downloads a file of all records to `path`, retrying while it is built. Returns its size in bytes. */
export async function downloadExport(root: string, format: string, path: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${root}/public/dataset/export?format=${format}`);
    if (response.status === 503) {
      await response.arrayBuffer();
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
      continue;
    }
    if (response.status !== 200 || !response.body) {
      throw new Error(`${format}: ${response.status} ${await response.text()}`);
    }
    await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
    return (await stat(path)).size;
  }
}
