import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { isImageId } from '../image/image-id.ts';
import { type RecordImage, refuseTooMany } from './record-image.ts';

/** Detaches images from records. Skips published ones, those of other records, and those reserved for an edit. */
export async function releaseImages(database: Kysely<Tables>, images: readonly RecordImage[]): Promise<void> {
  const { ids, recordIds } = columns(images);
  await sql`
    update image set record_id = null, since = now(), confirmed_at = null
    from unnest(${ids}::uuid[], ${recordIds}::bigint[]) as given (id, record_id)
    where image.id = given.id and image.record_id = given.record_id and published_at is null
      and reserved_for is null`.execute(database);
}

/** Deletes images of records, except those that releaseImages skips. */
export async function deleteImages(database: Kysely<Tables>, images: readonly RecordImage[]): Promise<void> {
  const { ids, recordIds } = columns(images);
  await sql`
    delete from image
    using unnest(${ids}::uuid[], ${recordIds}::bigint[]) as given (id, record_id)
    where image.id = given.id and image.record_id = given.record_id and published_at is null
      and reserved_for is null`.execute(database);
}

function columns(images: readonly RecordImage[]): { ids: string[]; recordIds: number[] } {
  refuseTooMany(images);
  const known = images.filter(({ imageId }) => isImageId(imageId));
  return { ids: known.map(({ imageId }) => imageId), recordIds: known.map(({ recordId }) => recordId) };
}
