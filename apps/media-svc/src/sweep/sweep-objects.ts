import { type Kysely, sql } from 'kysely';
import { objectKey } from '../image/variants.ts';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Tables } from '../tables.ts';

const HOUR_MS = 3_600_000;
const BATCH = 1_000;

/** Keys that a sweep removed from the store or found missing. */
export interface SweptObjects {
  /** Objects without an image. */
  removed: string[];
  /** Uploads that were never finished. */
  incomplete: string[];
  /** Objects that the store has lost; uploading the same image again restores them. */
  missing: string[];
}

/**
 * Removes blobs without an image, and objects without a blob that are at least an hour old. Younger objects may belong to
 * an upload, which writes them before their row and takes at most a few minutes.
 */
export async function sweepObjects(database: Kysely<Tables>, objects: ObjectStore): Promise<SweptObjects> {
  const old = new Date(Date.now() - HOUR_MS);
  await deleteUnusedBlobs(database);
  const blobs = await blobFolders(database, old);
  const missing = new Set([...blobs.keys()].map((folder) => objectKey(folder, 'full')));
  const orphans: string[] = [];
  for await (const { key, modifiedAt } of objects.list()) {
    missing.delete(key);
    const [folder = ''] = key.split('/', 1);
    if (!blobs.has(folder) && modifiedAt < old) orphans.push(key);
  }
  const removed: string[] = [];
  for (let at = 0; at < orphans.length; at += BATCH) {
    const keys = orphans.slice(at, at + BATCH);
    // Folders are never reused: a folder without a row now will never get one.
    const named = await blobFolders(database);
    const unnamed = keys.filter((key) => !named.has(key.split('/', 1)[0] ?? ''));
    await objects.remove(unnamed);
    removed.push(...unnamed);
  }
  const still = await blobFolders(database);
  return {
    removed,
    incomplete: await objects.removeIncomplete(old),
    missing: [...missing].filter((key) => still.has(key.split('/', 1)[0] ?? '')),
  };
}

async function deleteUnusedBlobs(database: Kysely<Tables>): Promise<void> {
  const unused = await database
    .selectFrom('blob')
    .select('sha256')
    .where((row) =>
      row.not(row.exists(row.selectFrom('image').select('id').whereRef('image.sha256', '=', 'blob.sha256'))),
    )
    .execute();
  for (const { sha256 } of unused) {
    try {
      await database.deleteFrom('blob').where('sha256', '=', sha256).execute();
    } catch (error) {
      // A concurrent upload uses it.
      if (!isForeignKeyViolation(error)) throw error;
    }
  }
}

/** Maps folders to hashes, of all blobs or of those stored before a time. */
async function blobFolders(database: Kysely<Tables>, before?: Date): Promise<Map<string, string>> {
  const rows = await database
    .selectFrom('blob')
    .select(['folder', 'sha256'])
    .$if(before !== undefined, (query) => query.where('stored_at', '<', sql<Date>`${before}`))
    .execute();
  return new Map(rows.map(({ folder, sha256 }) => [folder, sha256]));
}

function isForeignKeyViolation(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && error.code === '23503';
}
