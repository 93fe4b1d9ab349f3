import type { ServiceError } from '@esd/service/errors';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { RecordContext, RecordRequest } from './context.ts';
import type { RecordImage, RefusedImage, Reservation } from './image-client.ts';

export type ImageClaimContext = Pick<RecordContext, 'database' | 'images' | 'queues' | 'log'>;

export interface WantedImages extends Reservation {
  /** Creates the error for images that another record has taken since they were read. */
  refusal: (refused: readonly RefusedImage[]) => ServiceError;
}

export interface StoredWithImages<Stored> {
  stored: Stored;
  attached: readonly RecordImage[];
}

/** Returns the reservation name of an edit; concurrent edits of one record share it. */
export function reservationName(recordId: number): string {
  return `record ${recordId}`;
}

/**
 * Runs a transaction that stores records with images. Calls media-svc before and after it, never inside: it reserves the
 * images first, and claims them once the records are stored. If the claim does not arrive, media-svc resolves the
 * reservation later. Throws `wanted.refusal`, UNAVAILABLE while media-svc is down, and the errors of the
 * transaction.
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
        // A commit that reports an error may have succeeded, so media-svc resolves the reservation later.
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

/** Claims the attached images and cancels the rest. Never throws: the records are stored. */
async function claim(
  context: ImageClaimContext,
  reservation: Reservation,
  attached: readonly RecordImage[],
  requestId: string,
): Promise<void> {
  try {
    const refused = await context.images.claim(reservation, attached, { requestId });
    if (refused.length > 0) context.log.error({ refused, attached }, 'records contain images of other records');
  } catch (err) {
    context.log.warn({ err, images: attached.length }, 'claim failed; media-svc attaches the images later');
  }
  const attachedIds = new Set(attached.map(({ imageId }) => imageId));
  const images = reservation.images.filter(({ imageId }) => !attachedIds.has(imageId));
  await cancel(context, { ...reservation, images }, requestId);
}

async function cancel({ images, log }: ImageClaimContext, reservation: Reservation, requestId: string): Promise<void> {
  await images.cancel(reservation, { requestId }).catch((err: unknown) => {
    log.warn({ err, images: reservation.images.length }, 'cancellation failed; media-svc releases the images later');
  });
}
