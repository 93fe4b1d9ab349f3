import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { readDescription, readDoi, readLicense } from './release-input.ts';
import { getRelease, lockReleases, noteChange, refuseTakenDoi, type ReleaseRow } from './release.store.ts';

/** What may change of a release: absent stays as it is, null takes it away. */
export interface Description {
  doi?: string | null;
  license?: string | null;
  description?: string | null;
}

/**
 * Changes what is said about a release, in whatever state it is; its data cannot change. Throws VERSION_NOT_FOUND,
 * INVALID_REQUEST, and CONFLICT when another release has the DOI.
 */
export async function describeRelease(
  database: Kysely<Tables>,
  id: number,
  wish: Description,
  by: { accountId: string; requestId: string },
): Promise<ReleaseRow> {
  const { doi, license, description } = wish;
  const values = {
    ...(doi === undefined ? {} : { doi: doi === null ? null : readDoi(doi) }),
    ...(license === undefined ? {} : { license: license === null ? null : readLicense(license) }),
    ...(description === undefined ? {} : { description: description === null ? null : readDescription(description) }),
  };
  return database.transaction().execute(async (transaction) => {
    await lockReleases(transaction);
    const before = await getRelease(transaction, id);
    if (Object.keys(values).length === 0) return before;
    if (values.doi) await refuseTakenDoi(transaction, values.doi, id);
    const release = await transaction
      .updateTable('version')
      .set(values)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const { doi, license, description } = before;
    await noteChange(transaction, {
      version_id: id,
      account_id: by.accountId,
      request_id: by.requestId,
      action: 'describe',
      details: { before: { doi, license, description }, after: values },
    });
    return release;
  });
}
