import type { DatasetState } from '@esd/dataset-client/dataset-state';
import { type Kysely, sql, type Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { gauge, type MeasuredGauges } from '@esd/service/health/metrics';
import type { Tables } from '../tables.ts';

export type { DatasetState };

/** The NOTIFY channel that announces each new dataset revision. */
export const REVISION_CHANNEL = 'esd_dataset_revision';

export async function getHead(database: Kysely<Tables>): Promise<DatasetState> {
  const head = await database
    .selectFrom('dataset_head')
    .leftJoin('dataset_revision', 'dataset_revision.revision', 'dataset_head.revision')
    .select(['dataset_id', 'dataset_head.revision', 'dataset_head.record_count', 'committed_at'])
    .executeTakeFirstOrThrow();
  return {
    datasetId: head.dataset_id,
    revision: head.revision,
    recordCount: head.record_count,
    committedAt: head.committed_at ?? undefined,
  };
}

export function revisionGauge(database: Kysely<Tables>): MeasuredGauges {
  return {
    gauges: ['esd_dataset_revision'],
    read: async () => {
      const { revision } = await getHead(database);
      return () => {
        gauge('esd_dataset_revision').set({ source: 'log' }, revision);
      };
    },
  };
}

/** Returns the state at a dataset revision. Throws VERSION_NOT_FOUND if the dataset never reached it. */
export async function getState(database: Kysely<Tables>, revision: number): Promise<DatasetState> {
  const row = await database
    .selectFrom('dataset_head')
    .leftJoin('dataset_revision', (join) => join.on('dataset_revision.revision', '=', revision))
    .select(['dataset_id', 'dataset_revision.revision', 'dataset_revision.record_count', 'committed_at'])
    .executeTakeFirstOrThrow();
  if (row.revision === null || row.record_count === null) {
    throw new ServiceError('VERSION_NOT_FOUND', `The dataset has no revision ${revision}.`);
  }
  return {
    datasetId: row.dataset_id,
    revision: row.revision,
    recordCount: row.record_count,
    committedAt: row.committed_at ?? undefined,
  };
}

export type LockedHead = Omit<DatasetState, 'committedAt'>;

/** Locks the head, so that revisions are numbered without gaps in the order of their commits. */
export async function lockHead(transaction: Transaction<Tables>): Promise<LockedHead> {
  const head = await transaction
    .selectFrom('dataset_head')
    .select(['dataset_id', 'revision', 'record_count'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { datasetId: head.dataset_id, revision: head.revision, recordCount: head.record_count };
}

/** Creates the next dataset revision, which is announced at the commit. Returns the new state. */
export async function advanceHead(
  transaction: Transaction<Tables>,
  head: LockedHead,
  { recordCount, referenceLists }: { recordCount: number; referenceLists: boolean },
): Promise<DatasetState> {
  const revision = head.revision + 1;
  const { committed_at: committedAt } = await transaction
    .insertInto('dataset_revision')
    .values({ revision, record_count: recordCount })
    .returning('committed_at')
    .executeTakeFirstOrThrow();
  await transaction
    .updateTable('dataset_head')
    .set({ revision, record_count: recordCount, ...(referenceLists ? { reference_revision: revision } : {}) })
    .execute();
  await sql`select pg_notify(${REVISION_CHANNEL}, ${String(revision)})`.execute(transaction);
  return { datasetId: head.datasetId, revision, recordCount, committedAt };
}

/** Finds the bodies of rows of the log, in the order of the ids. Rows never change, so the result is valid for any state. */
export async function findBodies(database: Kysely<Tables>, rowIds: readonly number[]): Promise<string[]> {
  if (rowIds.length === 0) return [];
  const rows = await database
    .selectFrom('record_revision')
    .select(['row_id', 'body'])
    .where('row_id', '=', sql<number>`any(${rowIds})`)
    .execute();
  const bodies = new Map(rows.map((row) => [row.row_id, row.body]));
  return rowIds.map((rowId) => {
    const body = bodies.get(rowId);
    if (body === undefined) throw new Error(`the log has no row ${rowId}`);
    return body;
  });
}

/** Returns whether a row of the revision, or one of the given rows, has an image. */
export async function hasImages(database: Kysely<Tables>, of: number | Int32Array): Promise<boolean> {
  const found = await database
    .selectFrom('record_revision')
    .select('row_id')
    // The condition of the index record_revision_with_images.
    .where(sql<boolean>`body like '%"fiberImages":[{%'`)
    .where((on) =>
      typeof of === 'number'
        ? on.and([on('valid_from', '<=', of), on.or([on('valid_to', 'is', null), on('valid_to', '>', of)])])
        : on('row_id', '=', sql<number>`any(${[...of]})`),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

// Bodies have up to 256 KB each; more rows per statement are not faster.
const ROWS_A_STATEMENT = 300;

/** Lists the newest rows of the log between two row ids and up to a dataset revision, newest first. */
export async function newestBodies(
  database: Kysely<Tables>,
  afterRowId: number,
  beforeRowId: number,
  upToRevision: number,
): Promise<{ rowId: number; body: string }[]> {
  return database
    .selectFrom('record_revision')
    .select(['row_id as rowId', 'body'])
    .where('row_id', '>', afterRowId)
    .where('row_id', '<', beforeRowId)
    .where('valid_from', '<=', upToRevision)
    .orderBy('row_id', 'desc')
    .limit(ROWS_A_STATEMENT)
    .execute();
}

export interface PublishedRecord {
  rowId: number;
  body: string;
  recordRevision: number;
  publishedAt: Date;
  firstPublishedAt: Date;
  /** Identifiers of the releases that contain this revision, newest first. */
  versions: string[];
  /** Set if the record is withdrawn at the newest state. */
  withdrawn: Withdrawn | undefined;
}

export interface Withdrawn {
  at: Date;
  reason: string;
}

/** A record that is withdrawn at the requested dataset revision. */
export interface WithdrawnAtRevision {
  withdrawn: Withdrawn;
  /** Identifiers of the releases that contain the record, newest first. */
  versions: string[];
}

/** Returns a record as published or withdrawn at a dataset revision, with its current metadata. Throws RECORD_NOT_FOUND. */
export async function describePublished(
  database: Kysely<Tables>,
  recordId: number,
  revision: number,
): Promise<PublishedRecord | WithdrawnAtRevision> {
  const row = await database
    .selectFrom('record_revision')
    .select(['row_id', 'body', 'record_revision', 'approved_at', 'valid_from', 'valid_to'])
    .where('record_id', '=', recordId)
    .where('valid_from', '<=', revision)
    .where((on) => on.or([on('valid_to', 'is', null), on('valid_to', '>', revision)]))
    .executeTakeFirst();
  if (!row) {
    const withdrawn = await findWithdrawn(database, recordId, revision);
    if (!withdrawn) throw unpublished(recordId);
    return { withdrawn, versions: await releasesWith(database, recordId) };
  }
  const { valid_from: from, valid_to: to } = row;
  const { first } = await database
    .selectFrom('record_revision')
    .select((all) => all.fn.min('approved_at').as('first'))
    .where('record_id', '=', recordId)
    .executeTakeFirstOrThrow();
  const releases = await database
    .selectFrom('release')
    .select('identifier')
    .where('state', '=', 'FROZEN')
    .where('revision', '>=', from)
    .$if(to !== null, (query) => query.where('revision', '<', to))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return {
    rowId: row.row_id,
    body: row.body,
    recordRevision: row.record_revision,
    publishedAt: row.approved_at,
    firstPublishedAt: first,
    versions: releases.map(({ identifier }) => identifier),
    withdrawn: await findWithdrawn(database, recordId),
  };
}

/** The revisions and times of a row of the log. */
export interface Publication {
  recordId: number;
  recordRevision: number;
  /** The dataset revision. */
  revision: number;
  publishedAt: Date;
  /** The publication time of the first revision of the record. */
  firstPublishedAt: Date;
}

/** Finds the publications of rows of the log, in the order of the ids. */
export async function findPublications(database: Kysely<Tables>, rowIds: readonly number[]): Promise<Publication[]> {
  if (rowIds.length === 0) return [];
  const rows = await database
    .selectFrom('record_revision as one')
    .select(({ selectFrom }) => [
      'one.row_id',
      'one.record_id',
      'one.record_revision',
      'one.valid_from',
      'one.approved_at',
      selectFrom('record_revision as every')
        .select(({ fn }) => fn.min('every.approved_at').as('first'))
        .whereRef('every.record_id', '=', 'one.record_id')
        .as('first_approved_at'),
    ])
    .where('one.row_id', '=', sql<number>`any(${rowIds})`)
    .execute();
  const found = new Map(rows.map((row) => [row.row_id, row]));
  return rowIds.map((rowId) => {
    const row = found.get(rowId);
    if (!row) throw new Error(`the log has no row ${rowId}`);
    return {
      recordId: row.record_id,
      recordRevision: row.record_revision,
      revision: row.valid_from,
      publishedAt: row.approved_at,
      firstPublishedAt: row.first_approved_at ?? row.approved_at,
    };
  });
}

/** Lists the releases that contain any revision of a record, newest first. */
async function releasesWith(database: Kysely<Tables>, recordId: number): Promise<string[]> {
  const releases = await database
    .selectFrom('release')
    .select('identifier')
    .where('state', '=', 'FROZEN')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('record_revision')
          .select('row_id')
          .where('record_id', '=', recordId)
          .whereRef('valid_from', '<=', 'release.revision')
          .where((on) => on.or([on('valid_to', 'is', null), on('valid_to', '>', on.ref('release.revision'))])),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return releases.map(({ identifier }) => identifier);
}

/** Finds the withdrawal of a record at a dataset revision, by default the newest. Undefined for a record that is not withdrawn. */
async function findWithdrawn(
  database: Kysely<Tables>,
  recordId: number,
  revision = Number.MAX_SAFE_INTEGER,
): Promise<Withdrawn | undefined> {
  return database
    .selectFrom('withdrawal')
    .select(['withdrawn_at as at', 'reason'])
    .where('record_id', '=', recordId)
    .where('revision', '<=', revision)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('record_revision')
            .select('row_id')
            .where('record_id', '=', recordId)
            .whereRef('valid_from', '>', 'withdrawal.revision')
            .where('valid_from', '<=', revision),
        ),
      ),
    )
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the body of a record at a dataset revision. Throws RECORD_NOT_FOUND. */
export async function findPublished(database: Kysely<Tables>, recordId: number, revision: number): Promise<string> {
  const row = await database
    .selectFrom('record_revision')
    .select('body')
    .where('record_id', '=', recordId)
    .where('valid_from', '<=', revision)
    .where((on) => on.or([on('valid_to', 'is', null), on('valid_to', '>', revision)]))
    .executeTakeFirst();
  if (!row) throw unpublished(recordId);
  return row.body;
}

function unpublished(recordId: number): ServiceError {
  return new ServiceError('RECORD_NOT_FOUND', `There is no published record ${recordId}.`);
}
