import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { isImageId } from '../image/image-id.ts';
import { type RecordImage, refuseTooMany } from './record-image.ts';

export interface ClaimRefusal {
  claim: RecordImage;
  problem: 'unknown' | 'taken';
}

/** Locks images until the transaction ends. Refuses unknown ones and those of another record or reservation. */
export async function lockImages(
  transaction: Transaction<Tables>,
  images: readonly RecordImage[],
  reservation: string | undefined,
): Promise<{ wanted: ReadonlyMap<string, number>; refused: ClaimRefusal[] }> {
  refuseTooMany(images);
  const wanted = new Map<string, number>();
  const refused: ClaimRefusal[] = [];
  for (const { imageId, recordId } of images) {
    const claim = { imageId: imageId.toLowerCase(), recordId };
    if (!isImageId(imageId)) refused.push({ claim, problem: 'unknown' });
    else if ((wanted.get(claim.imageId) ?? recordId) !== recordId) refused.push({ claim, problem: 'taken' });
    else wanted.set(claim.imageId, recordId);
  }
  const rows = await transaction
    .selectFrom('image')
    .select(['id', 'record_id', 'reserved_for'])
    .where('id', '=', sql<string>`any(${[...wanted.keys()]}::uuid[])`)
    // A common lock order prevents deadlocks.
    .orderBy('id')
    .forUpdate()
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const [imageId, recordId] of wanted) {
    const row = found.get(imageId);
    const claim = { imageId, recordId };
    if (!row) refused.push({ claim, problem: 'unknown' });
    else if (
      row.record_id === null
        ? row.reserved_for !== null && row.reserved_for !== reservation
        : row.record_id !== recordId
    )
      refused.push({ claim, problem: 'taken' });
  }
  return { wanted, refused };
}
