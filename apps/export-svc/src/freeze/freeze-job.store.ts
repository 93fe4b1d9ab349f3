import { SnapshotFrozen } from '@esd/proto/esd/events/v1/snapshot_frozen';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { ServiceError } from '@esd/service/errors';
import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { StoredFile } from '../files/stored-file.ts';
import type { Tables } from '../tables.ts';
import type { FreezeJobTable } from './freeze.table.ts';

export type FreezeJob = Selectable<FreezeJobTable>;

export interface NewFreeze {
  versionIdentifier: string;
  description: string | undefined;
  doi: string | undefined;
  license: string | undefined;
  accountId: string;
}

export interface FreezeFile extends StoredFile {
  format: string;
  objectKey: string;
  /** The `FileColumn`s as JSON text; undefined for a file without a table. */
  columns: string | undefined;
}

const LEASE_SECONDS = 30;
const leaseUntil = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** Adds a job. Throws CONFLICT if another job that has not failed has the identifier. */
export async function insertJob(
  database: Kysely<Tables>,
  { versionIdentifier, description, doi, license, accountId }: NewFreeze,
  leaseId: string,
): Promise<FreezeJob> {
  const job = await database
    .insertInto('freeze_job')
    .values({
      id: crypto.randomUUID(),
      identifier: versionIdentifier,
      description: description ?? null,
      doi: doi ?? null,
      license: license ?? null,
      account_id: accountId,
      state: 'BUILDING',
      lease_id: leaseId,
      lease_until: leaseUntil,
    })
    .onConflict((conflict) => conflict.column('identifier').where('state', '<>', 'FAILED').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (job) return job;
  throw new ServiceError(
    'CONFLICT',
    `${versionIdentifier} is already frozen or being frozen; choose another identifier.`,
  );
}

export function freezeGauges(database: Kysely<Tables>): MeasuredGauges {
  const oldest = gauge('esd_freeze_oldest_seconds');
  return {
    gauges: ['esd_freeze_oldest_seconds'],
    read: async () => {
      const { seconds } = await database
        .selectFrom('freeze_job')
        .select(sql<number | null>`extract(epoch from clock_timestamp() - min(created_at))::float8`.as('seconds'))
        .where('state', 'in', ['BUILDING', 'FAILING'])
        .executeTakeFirstOrThrow();
      return () => {
        oldest.set(Math.max(0, seconds ?? 0));
      };
    },
  };
}

/** Leases a job whose next step is due. Returns undefined if no job is due. */
export async function claimJob(database: Kysely<Tables>, leaseId: string): Promise<FreezeJob | undefined> {
  return database
    .updateTable('freeze_job')
    .set({ lease_id: leaseId, lease_until: leaseUntil })
    .where('id', '=', (from) =>
      from
        .selectFrom('freeze_job as open')
        .select('open.id')
        .where('open.state', 'in', ['BUILDING', 'FAILING'])
        .where('open.try_at', '<=', sql<Date>`now()`)
        .where((on) => on.or([on('open.lease_until', 'is', null), on('open.lease_until', '<', sql<Date>`now()`)]))
        .orderBy('open.try_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Renews the lease on a job. Returns false if the lease was lost. */
export async function renewJob(database: Kysely<Tables>, leaseId: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('freeze_job')
    .set({ lease_until: leaseUntil })
    .where('lease_id', '=', leaseId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the lease on a job. The next attempt is possible after `seconds`. */
export async function releaseJob(database: Kysely<Tables>, leaseId: string, seconds: number): Promise<void> {
  await database
    .updateTable('freeze_job')
    .set({ lease_id: null, lease_until: null, try_at: sql`now() + make_interval(secs => ${seconds})` })
    .where('lease_id', '=', leaseId)
    .execute();
}

export async function deleteJob(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('freeze_job').where('id', '=', id).where('release_id', 'is', null).execute();
}

export async function setReserved(
  database: Kysely<Tables>,
  id: string,
  reserved: {
    releaseId: number;
    datasetId: string;
    revision: number;
    recordCount: number;
    license: string | undefined;
    reservedAt: Date;
  },
): Promise<FreezeJob> {
  const { releaseId, datasetId, revision, recordCount, license, reservedAt } = reserved;
  return database
    .updateTable('freeze_job')
    .set({
      release_id: releaseId,
      dataset_id: datasetId,
      revision,
      record_count: recordCount,
      license: license ?? null,
      reserved_at: reservedAt,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function setDigest(database: Kysely<Tables>, id: string, digest: string): Promise<void> {
  await database.updateTable('freeze_job').set({ digest }).where('id', '=', id).execute();
}

/** Records a stored file, unless a file of the same format is already recorded. */
export async function addFreezeFile(database: Kysely<Tables>, jobId: string, file: FreezeFile): Promise<void> {
  const { format, objectKey, bytes, sha256, crc32, columns, entityTag } = file;
  await database
    .insertInto('freeze_file')
    .values({
      job_id: jobId,
      format,
      object_key: objectKey,
      bytes,
      sha256,
      crc32,
      columns: columns ?? null,
      entity_tag: entityTag ?? null,
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'format']).doNothing())
    .execute();
}

/**
 * Moves the built file `key` to a release, so that it is never deleted, unless a file of the same format is already
 * recorded.
 */
export async function adoptBuiltFile(
  database: Kysely<Tables>,
  jobId: string,
  key: string,
  file: FreezeFile,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await addFreezeFile(transaction, jobId, file);
    await transaction.deleteFrom('built_file').where('key', '=', key).execute();
  });
}

export async function findFreezeFiles(database: Kysely<Tables>, jobId: string): Promise<FreezeFile[]> {
  const rows = await database
    .selectFrom('freeze_file')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('format')
    .execute();
  return rows.map(({ format, object_key, bytes, sha256, crc32, columns, entity_tag }) => ({
    format,
    objectKey: object_key,
    bytes,
    sha256,
    crc32,
    columns: columns ?? undefined,
    entityTag: entity_tag ?? undefined,
  }));
}

/** Counts the stored files of the newest job of a release. */
export async function countFreezeFiles(database: Kysely<Tables>, releaseId: number): Promise<number> {
  const { count } = await database
    .selectFrom('freeze_file')
    .select((on) => on.fn.countAll<number>().as('count'))
    .where('job_id', '=', (on) =>
      on
        .selectFrom('freeze_job')
        .select('id')
        .where('release_id', '=', releaseId)
        .orderBy('created_at', 'desc')
        .limit(1),
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** Records the entity tag of the object in the store. Undefined makes the next read compare the bytes first. */
export async function setFreezeFileTag(
  database: Kysely<Tables>,
  objectKey: string,
  entityTag: string | undefined,
): Promise<void> {
  const tag = entityTag ?? null;
  await database.updateTable('freeze_file').set({ entity_tag: tag }).where('object_key', '=', objectKey).execute();
}

/** Ends a job whose files are all stored, and adds its event to the outbox. Returns false if the lease was lost. */
export async function setFrozen(
  database: Kysely<Tables>,
  job: FreezeJob,
  { leaseId, digest, files }: { leaseId: string; digest: string; files: readonly FreezeFile[] },
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const frozenAt = new Date();
    const { numUpdatedRows } = await transaction
      .updateTable('freeze_job')
      .set({ state: 'FROZEN', ended_at: frozenAt, lease_id: null, lease_until: null })
      .where('id', '=', job.id)
      .where('state', '=', 'BUILDING')
      .where('lease_id', '=', leaseId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (job.release_id === null || job.record_count === null) throw new Error('the frozen job has no release');
    const event = SnapshotFrozen.encode({
      jobId: job.id,
      releaseId: job.release_id,
      recordCount: job.record_count,
      digest,
      files: files.map(({ format, bytes, sha256 }) => ({ format, bytes, sha256 })),
      frozenAt,
    });
    await addToOutbox(transaction, [{ subject: SUBJECTS.snapshotFrozen, body: event.finish() }]);
    return true;
  });
}

/** Gives up on a job. Its next step notifies dataset-svc. */
export async function setFailing(database: Kysely<Tables>, leaseId: string, failure: string): Promise<void> {
  await database
    .updateTable('freeze_job')
    .set({ state: 'FAILING', failure, try_at: sql`now()` })
    .where('lease_id', '=', leaseId)
    .where('state', '=', 'BUILDING')
    .execute();
}

/** Ends a failing job whose objects are deleted. Its identifier can then be used again. */
export async function setFailed(database: Kysely<Tables>, leaseId: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const ended = await transaction
      .updateTable('freeze_job')
      .set({ state: 'FAILED', ended_at: sql`now()`, lease_id: null, lease_until: null })
      .where('lease_id', '=', leaseId)
      .where('state', '=', 'FAILING')
      .returning('id')
      .executeTakeFirst();
    if (ended) await transaction.deleteFrom('freeze_file').where('job_id', '=', ended.id).execute();
  });
}
