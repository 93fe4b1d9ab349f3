import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { builtFileObject } from '../../src/files/built-files.ts';
import { sweepBuiltFiles } from '../../src/files/sweep-built-files.ts';
import { openStores } from '../dataset-servers.ts';

const stores = await openStores();
afterAll(() => stores.dispose());

/** Stores a file that was last used `minutes` ago. */
async function keepFile(key: string, minutes: number, bytes = 3): Promise<void> {
  const { database, store, tempStorage } = stores;
  const { sha256, entityTag } = await tempStorage.during(async (folder) => {
    const path = join(folder, key);
    await writeFile(path, 'abc');
    return store.put(builtFileObject({ key, format: 'xlsx' }), path);
  });
  const usedAt = new Date(Date.now() - minutes * 60_000);
  await database
    .insertInto('built_file')
    .values({
      key,
      format: 'xlsx',
      entity_tag: entityTag,
      sha256,
      bytes,
      lease_id: null,
      lease_until: null,
      used_at: usedAt,
    })
    .execute();
}

async function stored(): Promise<{ rows: string[]; objects: string[] }> {
  const rows = await stores.database.selectFrom('built_file').select('key').orderBy('key').execute();
  const objects: string[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    if (await stores.store.exists(builtFileObject({ key, format: 'xlsx' }))) objects.push(key);
  }
  return { rows: rows.map(({ key }) => key), objects };
}

test('old files and the least recently used files beyond the limit are deleted, but none that a client may be receiving', async () => {
  await keepFile('a', 1, 90_000_000);
  await keepFile('b', 20, 5_000_000);
  await keepFile('c', 30, 10_000_000);
  await keepFile('d', 60 * 25);
  await stores.database
    .insertInto('built_file')
    .values({
      key: 'e',
      format: 'xlsx',
      lease_id: crypto.randomUUID(),
      lease_until: new Date(),
      bytes: null,
      sha256: null,
    })
    .execute();
  expect(await sweepBuiltFiles(stores.database, stores.store, { hours: 24, megabytes: 100 })).toBe(2);
  expect(await stored()).toEqual({ rows: ['a', 'b', 'e'], objects: ['a', 'b'] });
  expect(await sweepBuiltFiles(stores.database, stores.store, { hours: 24, megabytes: 0 })).toBe(1);
  expect(await stored()).toEqual({ rows: ['a', 'e'], objects: ['a'] });
});

test('the row and object of an interrupted build are deleted some time after its lease expired', async () => {
  await stores.database.deleteFrom('built_file').execute();
  await stores.store.remove([builtFileObject({ key: 'a', format: 'xlsx' })]);
  for (const [key, minutes] of [
    ['b', 20],
    ['c', 5],
  ] as const) {
    await keepFile(key, minutes);
    const left = { bytes: null, sha256: null, lease_id: crypto.randomUUID() };
    const leaseUntil = new Date(Date.now() - minutes * 60_000);
    await stores.database
      .updateTable('built_file')
      .set({ ...left, lease_until: leaseUntil })
      .where('key', '=', key)
      .execute();
  }
  expect(await sweepBuiltFiles(stores.database, stores.store, { hours: 24, megabytes: 100 })).toBe(1);
  expect(await stored()).toEqual({ rows: ['c'], objects: ['c'] });
});
