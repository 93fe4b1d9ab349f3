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
  /** The removal is an edit that awaits approval; otherwise it is done. */
  awaitsApproval: boolean;
  message: string;
}

/**
 * Removes an image from its record as a new revision, for the owner or an ADMIN. An image that was never public is deleted at
 * once; one that was stays public until the edit is approved, and its bytes stay for ever. Throws IMAGE_NOT_FOUND for any
 * other caller, CONFLICT for the last image of a record of an imageOnly submission, and UNAVAILABLE while media-svc is away;
 * calling it again finishes the removal.
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
    // A removal that was rejected may be submitted again as it is.
    if (after.length < before.length || (state.status === 'REJECTED' && publication === 'now')) {
      if (after.length === 0) await refuseOnImageOnly(transaction, image);
      const author = { accountId: caller.accountId, requestId: call.requestId };
      await reviseImages(transaction, state, newest, withImages(newest.data, after), author);
    }
    return publication;
  });
  if (publication === 'never') {
    await detachImages(context, [image], 'delete', call);
    return { awaitsApproval: false, message: `Image ${imageId} is deleted; record ${recordId} no longer has it.` };
  }
  const awaitsApproval = publication === 'now';
  const message = awaitsApproval
    ? `Record ${recordId} without image ${imageId} awaits review; the image stays public until that is approved.`
    : `Record ${recordId} no longer names image ${imageId}; its bytes stay, since versions of the dataset may hold it.`;
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
    `Image ${imageId} is the only one of record ${recordId}, which was submitted with imageOnly: attach another one first.`,
  );
}
