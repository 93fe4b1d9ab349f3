import { type Kysely, sql } from 'kysely';
import type { ObjectFiles } from '../object-files.ts';
import type { Tables } from '../tables.ts';
import { type FindUses, type SweptImages, sweepImages } from './sweep-images.ts';
import { type SweptObjects, sweepObjects } from './sweep-objects.ts';

/** What a sweep removed and mended. */
export type SweepReport = SweptImages & SweptObjects;

export interface SweepParts {
  database: Kysely<Tables>;
  objects: ObjectFiles;
  findUses: FindUses;
}

const LOCK = 'sweep of images';

/**
 * Sweeps images, then their objects. One copy of the service at a time; undefined when another one is at it. Throws what the
 * database, the store or submission-svc throws, with all that was done until then done.
 */
export async function sweep({ database, objects, findUses }: SweepParts): Promise<SweepReport | undefined> {
  return await database.connection().execute(async (connection) => {
    const lock = sql<{ taken: boolean }>`select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as taken`;
    const [row] = (await lock.execute(connection)).rows;
    if (!row?.taken) return undefined;
    try {
      return { ...(await sweepImages(database, findUses)), ...(await sweepObjects(database, objects)) };
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${LOCK}, 0))`.execute(connection);
    }
  });
}
