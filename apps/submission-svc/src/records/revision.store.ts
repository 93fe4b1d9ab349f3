import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { RecordStatus } from '@esd/record/status/record-status';
import type { RecordWarning } from '@esd/record/validate/problems';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

export interface RevisionContent {
  /** The data as JSON text. */
  json: string;
  missingFields: string[];
  warnings: RecordWarning[];
  contentHash: Buffer;
  duplicateHash: Buffer | null;
}

export type NewRevision = RevisionContent & { status: RecordStatus };

/** Returns revisions as a FROM item with one row each, in order. Uses one parameter for any number of revisions. */
export function revisionColumns(revisions: readonly NewRevision[]): RawBuilder<unknown> {
  const rows = revisions.map(({ status, json, missingFields, warnings, contentHash, duplicateHash }) => {
    const others = JSON.stringify({
      status,
      missing_fields: missingFields,
      warnings,
      content_hash: byteText(contentHash),
      duplicate_hash: duplicateHash && byteText(duplicateHash),
    });
    // The data is JSON text already.
    return `${others.slice(0, -1)},"data":${json}}`;
  });
  return sql`json_to_recordset(${`[${rows.join(',')}]`}::json) as (
    status text, data json, missing_fields text[], warnings json, content_hash bytea, duplicate_hash bytea)`;
}

function byteText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

export interface NextRevision extends NewRevision {
  recordId: number;
  revision: number;
}

/** Adds revisions as the newest of their records, with their audit trail, in one statement. */
export async function addRevisions(
  transaction: Transaction<Tables>,
  next: readonly NextRevision[],
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<void> {
  if (next.length === 0) return;
  await sql`
    with new as materialized (
      select * from rows from (
        unnest(${next.map(({ recordId }) => recordId)}::bigint[]),
        unnest(${next.map(({ revision }) => revision)}::integer[]),
        ${revisionColumns(next)}
      ) as new (id, revision, status, data, missing_fields, warnings, content_hash, duplicate_hash)
    ),
    new_revision as (
      insert into record_revision
        (record_id, revision, data, missing_fields, warnings, author_account_id, content_hash, duplicate_hash)
      select id, revision, data, missing_fields, warnings, ${accountId}::uuid, content_hash, duplicate_hash from new
    ),
    new_audit as (
      insert into audit (actor_account_id, action, record_id, record_revision, request_id)
      select ${accountId}::uuid, 'update', id, revision, ${requestId} from new order by id
    )
    update record set status = new.status, revision = new.revision, updated_at = now(),
      status_since = case when record.status = new.status then record.status_since else now() end
    from new where record.id = new.id`.execute(transaction);
}

export function newestRevisions(database: Kysely<Tables>) {
  return database
    .selectFrom('record')
    .innerJoin('record_revision', (join) =>
      join
        .onRef('record_revision.record_id', '=', 'record.id')
        .onRef('record_revision.revision', '=', 'record.revision'),
    );
}

export async function findNewestData(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<{ recordId: number; revision: number; data: ExperimentData }[]> {
  return newestRevisions(transaction)
    .select(['record.id as recordId', 'record.revision', 'record_revision.data'])
    .where('record.id', 'in', recordIds)
    .orderBy('record.id')
    .execute();
}

export async function getNewestRevision(
  transaction: Transaction<Tables>,
  { id, revision }: { id: number; revision: number },
) {
  return transaction
    .selectFrom('record_revision')
    .select(['data', 'missing_fields as missingFields', 'warnings', 'duplicate_hash as duplicateHash'])
    .where('record_id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
}
