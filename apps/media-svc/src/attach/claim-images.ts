import { type Kysely, sql } from 'kysely';
import { findImages, type StoredImage } from '../image/image.store.ts';
import type { Tables } from '../tables.ts';
import type { RecordImage } from './record-image.ts';
import { lockImages, type ClaimRefusal } from './lock-images.ts';

type Claimed = { images: StoredImage[] } | { refused: ClaimRefusal[] };

/** Attaches images to records, all or none, and ends their reservation. */
export async function claimImages(
  database: Kysely<Tables>,
  claims: readonly RecordImage[],
  reservation: string,
): Promise<Claimed> {
  return await database.transaction().execute(async (transaction): Promise<Claimed> => {
    const { wanted, refused } = await lockImages(transaction, claims, reservation);
    if (refused.length > 0) return { refused };
    const ids = [...wanted.keys()];
    await sql`
      update image set record_id = wanted.record_id, since = now(),
        reserved_for = nullif(image.reserved_for, ${reservation}::text)
      from unnest(${ids}::uuid[], ${[...wanted.values()]}::bigint[]) as wanted (id, record_id)
      where image.id = wanted.id`.execute(transaction);
    return { images: await findImages(transaction, ids) };
  });
}
