import { type Kysely, sql } from 'kysely';
import { objectKey } from '../image/variants.ts';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Tables } from '../tables.ts';

const HOUR_MS = 3_600_000;
const BATCH = 1_000;

/** What a sweep did in the store, and what it could not mend. */
export interface SweptObjects {
  /** Keys of objects that no image had any more. */
  removed: string[];
  /** Keys whose upload was begun and never finished. */
  incomplete: string[];
  /** Keys that images need and the store does not have; the same image uploaded anew brings them back. */
  missing: string[];
}

/**
 * Removes blobs that no image has, and objects that no blob names, once they are an hour old: an upload writes its objects
 * before the row that names them, and lasts minutes at most.
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
    // Folders are never used again: one that has no row now gets none.
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
      // An image came to refer to it meanwhile.
      if (!isForeignKeyViolation(error)) throw error;
    }
  }
}

/** The folders of all blobs, or of those stored before a time. */
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
