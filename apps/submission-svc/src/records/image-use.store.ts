import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { RecordImage } from './image-client.ts';

// Used are the newest revision and every revision that was ever public, because releases may contain it.
const isUsed = sql`(
  record_revision.revision = record.revision or exists (
    select from audit
    where audit.record_id = record.id and audit.record_revision = record_revision.revision and audit.action = 'approve'
  )
)`;

/** Finds the records that contain the images, in their newest revision or in one that was ever approved. */
export async function findImageUses(database: Kysely<Tables>, imageIds: readonly string[]): Promise<RecordImage[]> {
  const { rows } = await sql<RecordImage>`
    select distinct image_id as "imageId", record.id as "recordId"
    from record_revision
    join record on record.id = record_revision.record_id
    cross join lateral jsonb_array_elements_text(record_revision.image_ids) as images (image_id)
    where record_revision.image_ids <> '[]' and record_revision.image_ids ?| ${imageIds}::text[]
      and image_id = any(${imageIds}::text[]) and ${isUsed}
    order by image_id`.execute(database);
  return rows;
}

/** Returns whether the public revision of the record, or an earlier approved one, contains the image. */
export async function findPublication(
  transaction: Transaction<Tables>,
  { imageId, recordId }: RecordImage,
): Promise<'now' | 'earlier' | 'never'> {
  const { rows } = await sql<{ isNow: boolean }>`
    select bool_or(record_revision.revision = record.published_revision) as "isNow"
    from record_revision
    join record on record.id = record_revision.record_id
    join audit on audit.record_id = record.id and audit.record_revision = record_revision.revision
    where record.id = ${recordId} and audit.action = 'approve' and record_revision.image_ids ? ${imageId}
    group by record.id`.execute(transaction);
  const [row] = rows;
  if (!row) return 'never';
  return row.isNow ? 'now' : 'earlier';
}

/** Finds images of locked records that no approved revision contains. */
export async function findNeverPublicImages(
  transaction: Transaction<Tables>,
  recordIds: readonly number[],
): Promise<RecordImage[]> {
  const { rows } = await sql<RecordImage>`
    select image_id as "imageId", record_revision.record_id as "recordId"
    from record_revision
    cross join lateral jsonb_array_elements_text(record_revision.image_ids) as images (image_id)
    left join audit on audit.record_id = record_revision.record_id and audit.record_revision = record_revision.revision
      and audit.action = 'approve'
    where record_revision.record_id = any(${recordIds}::bigint[]) and record_revision.image_ids <> '[]'
    group by image_id, record_revision.record_id
    having count(audit.id) = 0
    order by image_id`.execute(transaction);
  return rows;
}
