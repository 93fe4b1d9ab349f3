import { type Kysely, sql } from 'kysely';
import type { Logger } from '@esd/service/health/log';
import type { Tables } from '../tables.ts';
import type { PublishedImages } from './record-approved.event.ts';

/** Marks the images of approved revisions as published: they are never deleted. Events may repeat, in any order. */
export async function publishImages(
  database: Kysely<Tables>,
  events: readonly PublishedImages[],
  log: Logger,
): Promise<void> {
  const rows = events.flatMap(({ recordId, imageIds, approvedAt }) =>
    imageIds.map((imageId) => ({ imageId, recordId, approvedAt })),
  );
  if (rows.length === 0) return;
  const { rows: found } = await sql<{ id: string }>`
    update image set
      published_at = least(published_at, approved.at),
      record_id = coalesce(image.record_id, approved.record_id),
      reserved_for = null
    from (
      select id, min(record_id) as record_id, min(at) as at
      from unnest(
        ${rows.map(({ imageId }) => imageId)}::uuid[],
        ${rows.map(({ recordId }) => recordId)}::bigint[],
        ${rows.map(({ approvedAt }) => approvedAt)}::timestamptz[]
      ) as event (id, record_id, at)
      group by id
    ) as approved
    where image.id = approved.id
    returning image.id`.execute(database);
  const known = new Set(found.map(({ id }) => id));
  const lost = rows.filter(({ imageId }) => !known.has(imageId.toLowerCase()));
  // Only an operator can restore the images.
  if (lost.length > 0) log.error({ images: lost }, 'images of approved records are missing');
}
