import type { ServiceError } from '@esd/service/errors';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { RecordContext, RecordRequest } from './context.ts';
import type { RecordImage, RefusedImage, Reservation } from './image-client.ts';

export type ImageClaimContext = Pick<RecordContext, 'database' | 'images' | 'queues' | 'log'>;

/** The images that a transaction will claim. */
export interface WantedImages extends Reservation {
  /** The error for images that have been given to another record since they were looked up. */
  refusal: (refused: readonly RefusedImage[]) => ServiceError;
}

/** The result of a transaction, and the images that the records hold with it. */
export interface StoredWithImages<Stored> {
  stored: Stored;
  attached: readonly RecordImage[];
}

/** The name of the reservation for an edit of a record; edits of one record at the same time share it. */
export function reservationName(recordId: number): string {
  return `record ${recordId}`;
}

/**
 * Runs a transaction that stores records with images. media-svc is called before and after it, never inside: the images are
 * reserved first, and claimed once the records are stored. Where the claim does not arrive, or the process ends in between,
 * media-svc asks later what became of the reservation. Throws the refusal of the wanted images, UNAVAILABLE while media-svc is
 * away, and what the transaction throws.
 */
export async function storeWithImages<Stored>(
  context: ImageClaimContext,
  request: RecordRequest,
  wanted: WantedImages,
  work: (transaction: Transaction<Tables>) => Promise<StoredWithImages<Stored>>,
): Promise<Stored> {
  const { database, images, queues } = context;
  let cancels = true;
  try {
    const refused = await images.reserve(wanted, request);
    if (refused.length > 0) {
      cancels = false;
      throw wanted.refusal(refused);
    }
    const { stored, attached } = await queues.store(request, () =>
      database.transaction().execute(async (transaction) => {
        const done = await work(transaction);
        // Whether a commit that fails has happened is not known: media-svc will ask.
        cancels = false;
        return done;
      }),
    );
    await claim(context, wanted, attached, request.requestId);
    return stored;
  } catch (error) {
    if (cancels) await cancel(context, wanted, request.requestId);
    throw error;
  }
}

/** Claims what the records hold, and cancels the rest. Never throws: the records are stored. */
async function claim(
  context: ImageClaimContext,
  reservation: Reservation,
  attached: readonly RecordImage[],
  requestId: string,
): Promise<void> {
  try {
    const refused = await context.images.claim(reservation, attached, { requestId });
    if (refused.length > 0) context.log.error({ refused, attached }, 'records hold images of other records');
  } catch (err) {
    context.log.warn({ err, images: attached.length }, 'images could not be attached yet; media-svc does it later');
  }
  const held = new Set(attached.map(({ imageId }) => imageId));
  const images = reservation.images.filter(({ imageId }) => !held.has(imageId));
  await cancel(context, { ...reservation, images }, requestId);
}

async function cancel({ images, log }: ImageClaimContext, reservation: Reservation, requestId: string): Promise<void> {
  await images.cancel(reservation, { requestId }).catch((err: unknown) => {
    log.warn({ err, images: reservation.images.length }, 'images stay reserved; media-svc frees them later');
  });
}
