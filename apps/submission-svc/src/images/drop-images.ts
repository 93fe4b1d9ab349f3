import type { CallOptions } from '@esd/service/rpc-client';
import type { Kysely } from 'kysely';
import { lockRecords } from '../record/record.store.ts';
import type { Tables } from '../tables.ts';
import { findHeldImages } from './held-images.store.ts';
import type { ImageKeeper, ImageOfRecord } from './image-keeper.ts';

/**
 * Detaches (`release`) or deletes (`erase`) those of the images that their record no longer needs. Under the locks of the
 * records, so that none of them takes an image back meanwhile.
 */
export async function dropImages(
  { database, images: keeper }: { database: Kysely<Tables>; images: ImageKeeper },
  images: readonly ImageOfRecord[],
  how: 'release' | 'erase',
  call: CallOptions,
): Promise<void> {
  if (images.length === 0) return;
  await database.transaction().execute(async (transaction) => {
    await lockRecords(transaction, [...new Set(images.map(({ recordId }) => recordId))]);
    const held = await findHeldImages(
      transaction,
      images.map(({ imageId }) => imageId),
    );
    const needed = new Set(held.map(({ imageId }) => imageId));
    await keeper[how](
      images.filter(({ imageId }) => !needed.has(imageId)),
      call,
    );
  });
}
