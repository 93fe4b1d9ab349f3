import type { Logger } from '@esd/service/log';
import type { CallOptions } from '@esd/service/rpc-client';
import type { Kysely, Transaction } from 'kysely';
import type { Asking, Turns } from '../submit/turns.ts';
import type { Tables } from '../tables.ts';
import { ImagesRefused } from './refused-images.ts';
import type { ImageKeeper, ImageOfRecord, Reservation } from './image-keeper.ts';

export interface StoreParts {
  database: Kysely<Tables>;
  images: ImageKeeper;
  turns: Turns;
  log: Logger;
}

/** What a transaction came to, and the images that the records hold with it. */
export interface StoredWithImages<Stored> {
  stored: Stored;
  attached: readonly ImageOfRecord[];
}

/** The reservation of images for an edit of a record; edits of one record at the same time share it. */
export function reservationOf(recordId: number, images: readonly ImageOfRecord[]): Reservation {
  return { name: `record ${recordId}`, images };
}

/**
 * Does a transaction that stores records with images. media-svc is asked before it and told after it, never inside: the
 * images are reserved first, and claimed once the records are stored. Where the claim does not arrive, or the process ends
 * in between, media-svc asks later what became of the reservation. Throws ImagesRefused, and what the transaction throws.
 */
export async function storeWithImages<Stored>(
  parts: StoreParts,
  request: Asking & CallOptions,
  reservation: Reservation,
  work: (transaction: Transaction<Tables>) => Promise<StoredWithImages<Stored>>,
): Promise<Stored> {
  const { database, images, turns } = parts;
  let mayBeStored = false;
  try {
    const refused = await images.reserve(reservation, request);
    if (refused.length > 0) throw new ImagesRefused(refused);
    const { stored, attached } = await turns.store(request, () =>
      database.transaction().execute(async (transaction) => {
        const done = await work(transaction);
        mayBeStored = true;
        return done;
      }),
    );
    await claim(parts, reservation, attached, request.requestId);
    return stored;
  } catch (error) {
    // Whether a commit that failed has happened is not known: media-svc will ask.
    if (!mayBeStored && !(error instanceof ImagesRefused)) await cancel(parts, reservation, request.requestId);
    throw error;
  }
}

/** Claims what the records hold, and gives up the rest. Never throws: the records are stored. */
async function claim(
  parts: StoreParts,
  reservation: Reservation,
  attached: readonly ImageOfRecord[],
  requestId: string,
): Promise<void> {
  try {
    const refused = await parts.images.claim(reservation, attached, { requestId });
    if (refused.length > 0) parts.log.error({ refused, attached }, 'records hold images that are not theirs');
  } catch (err) {
    parts.log.warn({ err, images: attached.length }, 'images could not be attached yet; media-svc does it later');
  }
  const held = new Set(attached.map(({ imageId }) => imageId));
  const images = reservation.images.filter(({ imageId }) => !held.has(imageId));
  await cancel(parts, { ...reservation, images }, requestId);
}

async function cancel({ images, log }: StoreParts, reservation: Reservation, requestId: string): Promise<void> {
  await images.cancel(reservation, { requestId }).catch((err: unknown) => {
    log.warn({ err, images: reservation.images.length }, 'images stay reserved; media-svc frees them later');
  });
}
