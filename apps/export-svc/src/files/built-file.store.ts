import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import type { StoredFile } from './stored-file.ts';

const LEASE_SECONDS = 30;
/** The resolution of `used_at`. */
const USED_SECONDS = 60;

/** A built file, or the lease to build it. Undefined while another replica builds it. */
export type Claim = { file: StoredFile } | { leaseId: string } | undefined;

/** Finds a built file. Returns `being built` while a replica holds the lease on it. */
export async function findFile(database: Kysely<Tables>, key: string): Promise<StoredFile | 'being built' | undefined> {
  const found = await database
    .selectFrom('built_file')
    .select(['bytes', 'sha256', 'crc32', 'entity_tag', sql<boolean>`lease_until > now()`.as('leased')])
    .where('key', '=', key)
    .executeTakeFirst();
  if (typeof found?.bytes !== 'number' || found.sha256 === null || found.crc32 === null) {
    return found?.leased ? 'being built' : undefined;
  }
  await database
    .updateTable('built_file')
    .set({ used_at: sql`now()` })
    .where('key', '=', key)
    .where('used_at', '<', sql<Date>`now() - make_interval(secs => ${USED_SECONDS})`)
    .execute();
  const { bytes, sha256, crc32, entity_tag: entityTag } = found;
  return { bytes, sha256, crc32, entityTag: entityTag ?? undefined };
}

export async function claimFile(database: Kysely<Tables>, key: string, format: string): Promise<Claim> {
  const found = await findFile(database, key);
  if (found === 'being built') return undefined;
  if (found) return { file: found };
  const leaseId = crypto.randomUUID();
  const leaseUntil = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`;
  const taken = await database
    .insertInto('built_file')
    .values({
      key,
      format,
      lease_id: leaseId,
      lease_until: leaseUntil,
      bytes: null,
      sha256: null,
      crc32: null,
      entity_tag: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ lease_id: leaseId, lease_until: leaseUntil })
        .where('built_file.bytes', 'is', null)
        .where((on) =>
          on.or([on('built_file.lease_until', 'is', null), on('built_file.lease_until', '<', sql<Date>`now()`)]),
        ),
    )
    .returning('lease_id')
    .executeTakeFirst();
  return taken?.lease_id === leaseId ? { leaseId } : undefined;
}

/** Renews the lease on a file. Returns false if the lease was lost. */
export async function renewLease(database: Kysely<Tables>, key: string, leaseId: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('built_file')
    .set({ lease_until: sql`now() + make_interval(secs => ${LEASE_SECONDS})` })
    .where('key', '=', key)
    .where('lease_id', '=', leaseId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records a stored file and ends its lease. Returns false if the lease was lost. */
export async function finishFile(
  database: Kysely<Tables>,
  key: string,
  leaseId: string,
  { bytes, sha256, crc32, entityTag }: StoredFile,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('built_file')
    .set({
      bytes,
      sha256,
      crc32,
      entity_tag: entityTag ?? null,
      lease_id: null,
      lease_until: null,
      used_at: sql`now()`,
    })
    .where('key', '=', key)
    .where('lease_id', '=', leaseId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a lease without a file, so that the next caller builds the file. */
export async function dropLease(database: Kysely<Tables>, key: string, leaseId: string): Promise<void> {
  await database.deleteFrom('built_file').where('key', '=', key).where('lease_id', '=', leaseId).execute();
}

/** Records the entity tag of the object in the store. Undefined makes the next read compare the bytes first. */
export async function setBuiltFileTag(
  database: Kysely<Tables>,
  key: string,
  entityTag: string | undefined,
): Promise<void> {
  const tag = entityTag ?? null;
  await database.updateTable('built_file').set({ entity_tag: tag }).where('key', '=', key).execute();
}

/** Deletes the row of a file whose object is lost or altered. */
export async function forgetFile(database: Kysely<Tables>, key: string, { sha256 }: StoredFile): Promise<void> {
  await database.deleteFrom('built_file').where('key', '=', key).where('sha256', '=', sha256).execute();
}

/**
 * Finds up to 1,000 files to delete. These are files unused for `hours`, the least recently used files beyond
 * `megabytes` in total, and interrupted builds. Files used in the last 15 minutes remain, because a client may still
 * receive them.
 */
export async function findUnneededFiles(
  database: Kysely<Tables>,
  { hours, megabytes }: { hours: number; megabytes: number },
): Promise<{ key: string; format: string }[]> {
  const { rows } = await sql<{ key: string; format: string }>`
    select key, format from (
      select key, format, used_at, sum(bytes) over (order by used_at desc, key) as total
      from built_file where bytes is not null
    ) as file
    where used_at < now() - interval '15 minutes'
      and (used_at < now() - make_interval(hours => ${hours}::int) or total > ${megabytes}::bigint * 1000000)
    union all
    select key, format from built_file where bytes is null and lease_until < now() - interval '15 minutes'
    limit 1000`.execute(database);
  return rows;
}

export async function deleteUnused(database: Kysely<Tables>, key: string): Promise<void> {
  await database
    .deleteFrom('built_file')
    .where('key', '=', key)
    .where('used_at', '<', sql<Date>`now() - interval '15 minutes'`)
    // Another build of the file may be running.
    .where((on) => on.or([on('lease_until', 'is', null), on('lease_until', '<', sql<Date>`now()`)]))
    .execute();
}
