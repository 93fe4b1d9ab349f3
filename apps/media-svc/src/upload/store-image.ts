import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from '@esd/service/health/log';
import {
  type Blob,
  findBlob,
  insertImage,
  insertOrLockBlob,
  lockBlob,
  moveBlob,
  type NewImage,
} from '../image/image.store.ts';
import { objectKey } from '../image/variants.ts';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Tables } from '../tables.ts';
import type { Encoded } from './encode-image.ts';
import { checkQuota, lockUploader, type Quota } from './quota.ts';

interface StoreDependencies {
  database: Kysely<Tables>;
  objects: ObjectStore;
  quota: Quota;
  log: Logger;
}

/**
 * Stores an image: first its objects, unless the same content exists, then its rows, so that every row has its objects.
 * Objects without a row are removed immediately or, if the store fails, by the sweep. Throws the errors of checkQuota,
 * UNAVAILABLE, and the reason of the signal, which stops the work before the rows are written.
 */
export async function storeImage(
  dependencies: StoreDependencies,
  encoded: Encoded,
  image: NewImage,
  signal: AbortSignal,
): Promise<void> {
  const { database, objects } = dependencies;
  const { sha256, bytes, width, height, stretched } = encoded;
  const known = await findBlob(database, sha256);
  const isThere = known !== undefined && (await objects.exists(objectKey(known.folder, 'full')));
  if (isThere && (await insertFor(dependencies, known, image))) return;

  const own: Blob = { sha256, folder: randomUUID(), bytes, width, height, stretched };
  // If the store fails here, the sweep removes the objects, so that the caller does not wait for the store again.
  for (const { variant, file } of encoded.files)
    await objects.put(objectKey(own.folder, variant), file, { mediaType: 'image/png', signal });
  let isStored = false;
  try {
    signal.throwIfAborted();
    isStored = await database.transaction().execute(async (transaction) => {
      await admit(transaction, dependencies.quota, image, bytes);
      const stored = await insertOrLockBlob(transaction, own);
      const isLost = known !== undefined && !isThere && stored.folder === known.folder;
      if (isLost) await moveBlob(transaction, own, known.folder);
      await insertImage(transaction, image);
      return isLost || stored.folder === own.folder;
    });
  } finally {
    if (!isStored) {
      const keys = encoded.files.map(({ variant }) => objectKey(own.folder, variant));
      await objects.remove(keys).catch((err: unknown) => {
        dependencies.log.warn({ err, folder: own.folder }, 'failed to remove objects; the sweep removes them');
      });
    }
  }
}

/** Adds an image to a blob; returns false if the blob was deleted. */
async function insertFor({ database, quota }: StoreDependencies, blob: Blob, image: NewImage): Promise<boolean> {
  return await database.transaction().execute(async (transaction) => {
    await admit(transaction, quota, image, blob.bytes);
    if (!(await lockBlob(transaction, blob))) return false;
    await insertImage(transaction, image);
    return true;
  });
}

async function admit(
  transaction: Parameters<typeof lockUploader>[0],
  quota: Quota,
  { uploader }: NewImage,
  bytes: number,
): Promise<void> {
  await lockUploader(transaction, uploader);
  await checkQuota(transaction, quota, uploader, bytes);
}
