import type { Caller } from '@esd/service/assertion';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions } from '@esd/service/rpc-client';
import type { Kysely } from 'kysely';
import { refuseDeleted } from '../account/deleted-account.store.ts';
import { lockRecords } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';
import { dropImages } from './drop-images.ts';
import { findPublicity } from './held-images.store.ts';
import type { ImageKeeper, ImageOfRecord } from './image-keeper.ts';
import { getNewestRevision, reviseImages, withImages } from './revise-images.ts';

export interface Removal {
  /** It is an edit that waits for approval; else the image is gone. */
  awaitsApproval: boolean;
  message: string;
}

/**
 * Takes an image away from its record as a new revision, for the owner or an ADMIN. One that was never public is deleted
 * at once; one that was stays public until the edit is approved, and its bytes stay for ever. Throws IMAGE_NOT_FOUND for
 * whoever may not, CONFLICT for the last image of a record of an imageOnly submission, and UNAVAILABLE while media-svc is
 * away; doing it again finishes it.
 */
export async function removeImage(
  parts: { database: Kysely<Tables>; images: ImageKeeper },
  image: ImageOfRecord,
  caller: Caller,
  call: CallOptions,
): Promise<Removal> {
  const { imageId, recordId } = image;
  const publicity = await parts.database.transaction().execute(async (transaction) => {
    const state = (await lockRecords(transaction, [recordId])).get(recordId);
    await refuseDeleted(transaction, caller.accountId);
    const mayRemove = state?.ownerAccountId === caller.accountId || caller.role === 'ADMIN';
    if (!state || !mayRemove) throw new ServiceError('IMAGE_NOT_FOUND', `There is no image ${imageId}.`);
    const newest = await getNewestRevision(transaction, state);
    const before = newest.data.fiberImages ?? [];
    const after = before.filter((entry) => entry.imageId !== imageId);
    const publicity = await findPublicity(transaction, image);
    // A removal that was declined may be handed in again as it is.
    if (after.length < before.length || (state.status === 'REJECTED' && publicity === 'now')) {
      if (after.length === 0) await refuseOnImageOnly(transaction, image);
      const author = { accountId: caller.accountId, requestId: call.requestId };
      await reviseImages(transaction, state, newest, withImages(newest.data, after), author);
    }
    return publicity;
  });
  if (publicity === 'never') {
    await dropImages(parts, [image], 'erase', call);
    return { awaitsApproval: false, message: `Image ${imageId} is deleted; record ${recordId} no longer names it.` };
  }
  const awaitsApproval = publicity === 'now';
  const message = awaitsApproval
    ? `Record ${recordId} without image ${imageId} awaits review; the image stays public until that is approved.`
    : `Record ${recordId} no longer names image ${imageId}; its bytes stay, since versions of the dataset may hold it.`;
  return { awaitsApproval, message };
}

async function refuseOnImageOnly(
  transaction: Pick<Kysely<Tables>, 'selectFrom'>,
  { imageId, recordId }: ImageOfRecord,
): Promise<void> {
  const { imageOnly } = await transaction
    .selectFrom('record')
    .innerJoin('submission', 'submission.id', 'record.submission_id')
    .select('submission.image_only as imageOnly')
    .where('record.id', '=', recordId)
    .executeTakeFirstOrThrow();
  if (!imageOnly) return;
  throw new ServiceError(
    'CONFLICT',
    `Image ${imageId} is the only one of record ${recordId}, which was submitted with imageOnly: attach another one first.`,
  );
}
