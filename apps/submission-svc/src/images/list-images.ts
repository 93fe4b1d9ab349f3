import { ServiceError } from '@esd/service/errors';
import { type Kysely, sql } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import type { Tables } from '../tables.ts';

/** Returns the images of the newest revision of an account's record as a JSON array. Throws RECORD_NOT_FOUND. */
export async function listImages(database: Kysely<Tables>, accountId: string, recordId: number): Promise<string> {
  const row = await newestRevisions(database)
    .select(sql<string>`coalesce((record_revision.data -> 'fiberImages')::text, '[]')`.as('images'))
    .where('record.id', '=', recordId)
    .where('record.owner_account_id', '=', accountId)
    .executeTakeFirst();
  if (!row) throw new ServiceError('RECORD_NOT_FOUND', `You have no record ${recordId}.`);
  return row.images;
}
