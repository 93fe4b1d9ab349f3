import { type Kysely, sql } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { Tables } from '../tables.ts';
import { isImageId } from '../image/image-id.ts';
import { type RecordImage, refuseTooMany } from './record-image.ts';
import { lockImages, type ClaimRefusal } from './lock-images.ts';

const MAX_RESERVATION = 100;

/**
 * Reserves images for records that are about to be stored, all or none, and returns the refused ones. Reserved images are
 * neither deleted nor attached to other records. A claim, a cancellation, or a sweep after one hour ends the reservation.
 */
export async function reserveImages(
  database: Kysely<Tables>,
  reservation: string,
  images: readonly RecordImage[],
): Promise<ClaimRefusal[]> {
  if (reservation === '' || reservation.length > MAX_RESERVATION) {
    throw new ServiceError(
      'INVALID_REQUEST',
      `The name of a reservation must have 1 to ${MAX_RESERVATION} characters.`,
    );
  }
  return await database.transaction().execute(async (transaction) => {
    const { wanted, refused } = await lockImages(transaction, images, reservation);
    if (refused.length > 0) return refused;
    await transaction
      .updateTable('image')
      .set({ reserved_for: reservation, since: sql`now()` })
      .where('id', '=', sql<string>`any(${[...wanted.keys()]}::uuid[])`)
      .execute();
    return [];
  });
}

/** Cancels the reservation of images that were not claimed. */
export async function cancelReservation(
  database: Kysely<Tables>,
  reservation: string,
  imageIds: readonly string[],
): Promise<void> {
  refuseTooMany(imageIds);
  await database
    .updateTable('image')
    .set({ reserved_for: null, since: sql`now()` })
    .where('id', '=', sql<string>`any(${imageIds.filter(isImageId)}::uuid[])`)
    .where('reserved_for', '=', reservation)
    .execute();
}
