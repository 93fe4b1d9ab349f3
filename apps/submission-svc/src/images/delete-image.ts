import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { Transaction } from 'kysely';
import type { RecordContext } from '../records/context.ts';
import { refuseDeleted } from '../records/deleted-account.store.ts';
import { detachImages } from '../records/detach-images.ts';
import type { RecordImage } from '../records/image-client.ts';
import { findPublication } from '../records/image-use.store.ts';
import { lockRecords } from '../records/record.store.ts';
import { getNewestRevision } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';
import { reviseImages, withImages } from './revise-images.ts';

export interface Removal {
  /** Whether the removal is an edit that awaits approval; otherwise it is complete. */
  awaitsApproval: boolean;
  message: string;
}

/**
 * Removes an image from its record as a new revision, for the owner or an ADMIN. Deletes an image that was never public; a
 * public one remains public until the edit is approved, and is never deleted. Throws IMAGE_NOT_FOUND for other callers, and
 * CONFLICT for the last image of a record of an imageOnly submission. Throws UNAVAILABLE while media-svc is down; a
 * repeated call finishes the removal.
 */
export async function deleteImage(
  context: Pick<RecordContext, 'database' | 'images'>,
  image: RecordImage,
  caller: Caller,
  call: CallOptions,
): Promise<Removal> {
  const { imageId, recordId } = image;
  const publication = await context.database.transaction().execute(async (transaction) => {
    const state = (await lockRecords(transaction, [recordId])).get(recordId);
    await refuseDeleted(transaction, caller.accountId);
    const mayRemove = state?.ownerAccountId === caller.accountId || caller.role === 'ADMIN';
    if (!state || !mayRemove) throw new ServiceError('IMAGE_NOT_FOUND', `There is no image ${imageId}.`);
    const newest = await getNewestRevision(transaction, state);
    const before = newest.data.fiberImages ?? [];
    const after = before.filter((entry) => entry.imageId !== imageId);
    const publication = await findPublication(transaction, image);
    // A rejected removal may be submitted again unchanged.
    if (after.length < before.length || (state.status === 'REJECTED' && publication === 'now')) {
      if (after.length === 0) await refuseOnImageOnly(transaction, image);
      const author = { accountId: caller.accountId, requestId: call.requestId };
      await reviseImages(transaction, state, newest, withImages(newest.data, after), author);
    }
    return publication;
  });
  if (publication === 'never') {
    await detachImages(context, [image], 'delete', call);
    return { awaitsApproval: false, message: `Image ${imageId} of record ${recordId} is deleted.` };
  }
  const awaitsApproval = publication === 'now';
  const message = awaitsApproval
    ? `The removal of image ${imageId} from record ${recordId} awaits review; the image remains public until it is approved.`
    : `Image ${imageId} is removed from record ${recordId}, but not deleted: releases of the dataset may contain it.`;
  return { awaitsApproval, message };
}

async function refuseOnImageOnly(transaction: Transaction<Tables>, { imageId, recordId }: RecordImage): Promise<void> {
  const { imageOnly } = await transaction
    .selectFrom('record')
    .innerJoin('submission', 'submission.id', 'record.submission_id')
    .select('submission.image_only as imageOnly')
    .where('record.id', '=', recordId)
    .executeTakeFirstOrThrow();
  if (!imageOnly) return;
  throw new ServiceError(
    'CONFLICT',
    `Image ${imageId} is the only one of record ${recordId}, which was submitted with \`imageOnly\`. Attach another one first.`,
  );
}
