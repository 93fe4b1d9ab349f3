import type { Kysely } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';
import { isImageId } from '../image/image-id.ts';

/** Deletes an image, or returns the id of its record. Throws IMAGE_NOT_FOUND, and CONFLICT if it is reserved. */
export async function deleteUnattached(database: Kysely<Tables>, imageId: string): Promise<number | undefined> {
  const deleted = isImageId(imageId)
    ? await database
        .deleteFrom('image')
        .where('id', '=', imageId)
        .where('record_id', 'is', null)
        .where('reserved_for', 'is', null)
        .executeTakeFirst()
    : undefined;
  if (deleted && deleted.numDeletedRows > 0n) return undefined;
  const row = isImageId(imageId)
    ? await database.selectFrom('image').select('record_id').where('id', '=', imageId).executeTakeFirst()
    : undefined;
  if (row && row.record_id !== null) return row.record_id;
  if (row) {
    const message = `Image ${imageId} is being attached to a record. Try again in a minute.`;
    throw new ServiceError('CONFLICT', message);
  }
  throw new ServiceError('IMAGE_NOT_FOUND', `There is no image ${imageId.slice(0, 60)}.`);
}
