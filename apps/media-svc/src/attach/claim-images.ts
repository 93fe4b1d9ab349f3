import { type Kysely, sql } from 'kysely';
import { findImages, type Image } from '../image/image.store.ts';
import type { Tables } from '../tables.ts';
import { type ImageOfRecord, isImageId, refuseTooMany } from './image-of-record.ts';

/** A claim that cannot be granted: there is no such image, or another record has it. */
export interface RefusedClaim {
  claim: ImageOfRecord;
  problem: 'unknown' | 'taken';
}

type Claimed = { images: Image[] } | { refused: RefusedClaim[] };

/**
 * Attaches images to records, all or none. An image that its record has already is claimed anew, so that the sweep does not
 * ask about it while the record is about to be stored.
 */
export async function claimImages(database: Kysely<Tables>, claims: readonly ImageOfRecord[]): Promise<Claimed> {
  refuseTooMany(claims);
  const wanted = new Map<string, number>();
  const refused: RefusedClaim[] = [];
  for (const { imageId, recordId } of claims) {
    const claim = { imageId: imageId.toLowerCase(), recordId };
    if (!isImageId(imageId)) refused.push({ claim, problem: 'unknown' });
    else if ((wanted.get(claim.imageId) ?? recordId) !== recordId) refused.push({ claim, problem: 'taken' });
    else wanted.set(claim.imageId, recordId);
  }
  const ids = [...wanted.keys()];
  return await database.transaction().execute(async (transaction): Promise<Claimed> => {
    const rows = await transaction
      .selectFrom('image')
      .select(['id', 'record_id'])
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      // One order for all, so that two claims never wait for each other.
      .orderBy('id')
      .forUpdate()
      .execute();
    const owners = new Map(rows.map((row) => [row.id, row.record_id]));
    for (const [imageId, recordId] of wanted) {
      const owner = owners.get(imageId);
      if (owner === undefined) refused.push({ claim: { imageId, recordId }, problem: 'unknown' });
      else if (owner !== null && owner !== recordId) refused.push({ claim: { imageId, recordId }, problem: 'taken' });
    }
    if (refused.length > 0) return { refused };
    await sql`
      update image set record_id = wanted.record_id, since = now()
      from unnest(${ids}::uuid[], ${[...wanted.values()]}::bigint[]) as wanted (id, record_id)
      where image.id = wanted.id`.execute(transaction);
    return { images: await findImages(transaction, ids) };
  });
}
