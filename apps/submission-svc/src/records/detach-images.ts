import type { CallOptions } from '@esd/service/rpc/rpc-client';
import type { RecordContext } from './context.ts';
import type { RecordImage } from './image-client.ts';
import { findImageUses } from './image-use.store.ts';
import { lockRecords } from './record.store.ts';

/** Detaches images that no record uses. Locks their records, so that no concurrent edit adds the images again. */
export async function detachImages(
  { database, images: client }: Pick<RecordContext, 'database' | 'images'>,
  images: readonly RecordImage[],
  how: 'release' | 'delete',
  call: CallOptions,
): Promise<void> {
  if (images.length === 0) return;
  await database.transaction().execute(async (transaction) => {
    await lockRecords(transaction, [...new Set(images.map(({ recordId }) => recordId))]);
    const uses = await findImageUses(
      transaction,
      images.map(({ imageId }) => imageId),
    );
    const used = new Set(uses.map(({ imageId }) => imageId));
    await client[how](
      images.filter(({ imageId }) => !used.has(imageId)),
      call,
    );
  });
}
