import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { type FieldDifference, recordDifference } from '@esd/record/catalog/record-difference';
import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export interface PublishedRevision {
  recordRevision: number;
  publishedAt: Date;
  /** Identifiers of the releases that contain it, newest first. */
  versions: string[];
  /** The number of changes since the previous revision, and the first changes; undefined for the oldest revision of the record. */
  changes: { total: number; first: readonly FieldDifference[] } | undefined;
}

const MAX_REVISIONS = 20;
const MAX_CHANGES = 50;

/** Lists revisions up to a dataset revision, newest first. Throws RECORD_NOT_FOUND if the record is not public at that revision. */
export async function recordHistory(
  database: Kysely<Tables>,
  recordId: number,
  revision: number,
): Promise<PublishedRevision[]> {
  const rows = await database
    .selectFrom('record_revision')
    .select(['record_revision', 'approved_at', 'valid_from', 'valid_to', 'body'])
    .where('record_id', '=', recordId)
    .where('valid_from', '<=', revision)
    .orderBy('valid_from', 'desc')
    // One more than returned, to compute the changes of the oldest one.
    .limit(MAX_REVISIONS + 1)
    .execute();
  const [newest] = rows;
  if (!newest || (newest.valid_to !== null && newest.valid_to <= revision)) {
    throw new ServiceError('RECORD_NOT_FOUND', `There is no published record ${recordId}.`);
  }
  const releases = await database
    .selectFrom('release')
    .select(['identifier', 'revision'])
    .where('state', '=', 'FROZEN')
    .where('revision', '>=', rows.at(-1)?.valid_from ?? 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.slice(0, MAX_REVISIONS).map((row, at) => {
    const before = rows[at + 1];
    const changes = before && recordDifference(dataOf(before), dataOf(row));
    const holds = ({ revision: frozen }: { revision: number }): boolean =>
      frozen >= row.valid_from && (row.valid_to === null || frozen < row.valid_to);
    return {
      recordRevision: row.record_revision,
      publishedAt: row.approved_at,
      versions: releases.filter(holds).map(({ identifier }) => identifier),
      changes: changes && { total: changes.length, first: changes.slice(0, MAX_CHANGES) },
    };
  });
}

function dataOf({ body }: { body: string }) {
  return parsePublicRecord(body).data;
}
