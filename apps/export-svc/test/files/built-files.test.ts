import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashFile } from '@esd/object-store/file-hash';
import type { ClientKey } from '@esd/service/quota-client';
import { openTempStorage } from '@esd/service/http/temp-storage';
import { metricsText } from '@esd/service/health/metrics';
import { eventually } from '@esd/testing/eventually';
import { type BuiltFiles, type FileRecipe, openBuiltFiles } from '../../src/files/built-files.ts';
import { log, openStores } from '../dataset-servers.ts';

const HOSTILE = 'address 198.51.100.66';
const HONEST = 'address 192.0.2.7';
const never = new AbortController().signal;

let stores: Awaited<ReturnType<typeof openStores>>;
let built: BuiltFiles;
/** The names of files in the order of their builds, and functions that finish the builds. */
let begun: string[];
let ends: Map<string, () => void>;
let onBegin: () => void;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(() => stores.dispose());
beforeEach(() => {
  const { database, store, tempStorage } = stores;
  built = openBuiltFiles({ database, store, tempStorage, log }, 300_000);
  begun = [];
  ends = new Map();
  onBegin = () => undefined;
});
afterEach(async () => {
  const stopped = built.stop();
  for (const end of ends.values()) end();
  await stopped;
});

/** A file whose build the test finishes. */
function recipe(name: string, key = randomBytes(32).toString('hex')): FileRecipe {
  return {
    key,
    format: 'csv',
    mediaType: 'text/csv',
    write: async (path, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      signal.addEventListener('abort', () => {
        resolve();
      });
      begun.push(name);
      onBegin();
      await promise;
      await writeFile(path, name);
      return hashFile(path);
    },
  };
}

/** Waits for the expected builds. */
const until = (holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    onBegin = () => {
      if (holds()) resolve();
    };
    onBegin();
  });

/** Waits until so many turns are waited for. */
const untilWaiting = (count: number) =>
  eventually(metricsText, (text) => text.includes(`esd_queue_waiting{queue="exports"} ${count}\n`));

const endFirst = (): void => ends.get(begun[0] ?? '')?.();

/** Returns the error code, or `built`. */
async function outcome(recipe: FileRecipe, client: ClientKey): Promise<unknown> {
  return built.get(recipe, client, never).then(
    () => 'built',
    (error: unknown) => error,
  );
}

describe('a client that requests more files than are built concurrently', () => {
  test('is rejected beyond its share, and the file of another client is built in its turn', async () => {
    const attack = Array.from({ length: 18 }, (_, index) => outcome(recipe(`hostile ${index}`), HOSTILE));
    // Two files are being built, and eight wait.
    const refused = await Promise.any(
      attack.map(async (answer) => {
        const error = await answer;
        return error === 'built' ? Promise.reject(new Error('built')) : error;
      }),
    );
    expect(refused).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 5,
      message: expect.stringContaining('You already have 8 exports waiting'),
    });
    await until(() => begun.length === 2);
    const honest = outcome(recipe('honest'), HONEST);
    // The file waits, but not behind the second file of another client.
    await untilWaiting(9);
    const isBegun = until(() => begun.includes('honest'));
    endFirst();
    await isBegun;
    expect(begun.length).toBeLessThanOrEqual(4);
    ends.get('honest')?.();
    expect(await honest).toBe('built');
  });

  test('does not delay a file that it requested too', async () => {
    const popular = randomBytes(32).toString('hex');
    const attack = Array.from({ length: 7 }, (_, index) => outcome(recipe(`hostile ${index}`), HOSTILE));
    await until(() => begun.length === 2);
    attack.push(outcome(recipe('popular', popular), HOSTILE));
    const honest = outcome(recipe('popular', popular), HONEST);
    const isBegun = until(() => begun.includes('popular'));
    await untilWaiting(7);
    endFirst();
    await isBegun;
    expect(begun.length).toBeLessThanOrEqual(4);
    ends.get('popular')?.();
    expect(await honest).toBe('built');
    expect(begun.filter((name) => name === 'popular')).toHaveLength(1);
  });
});

test('the build of a file that exceeds the temporary storage, without the share of uploads, fails', async () => {
  const tempStorage = await openTempStorage('esd-export-small', { megabytes: 1 });
  const small = openBuiltFiles({ ...stores, tempStorage, log });
  const growing: FileRecipe = {
    ...recipe('growing'),
    write: async (path, signal) => {
      while (!signal.aborted) await writeFile(path, Buffer.alloc(50_000), { flag: 'a' });
      return hashFile(path);
    },
  };
  try {
    const refused = small.get(growing, HOSTILE, never);
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
    await tempStorage.during(() => Promise.resolve(), { client: HONEST, bytes: 300_000 });
  } finally {
    await small.stop();
    await tempStorage.close();
  }
});
