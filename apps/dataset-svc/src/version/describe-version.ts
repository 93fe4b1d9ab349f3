import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { readDescription, readDoi, readLicense } from './version-input.ts';
import { getVersion, lockVersions, noteChange, refuseTakenDoi, type VersionRow } from './version.store.ts';

/** What may change of a version: absent stays as it is, null takes it away. */
export interface Description {
  doi?: string | null;
  license?: string | null;
  description?: string | null;
}

/**
 * Changes what is said about a version, in whatever state it is; its data cannot change. Throws VERSION_NOT_FOUND,
 * INVALID_REQUEST, and CONFLICT when another version has the DOI.
 */
export async function describeVersion(
  database: Kysely<Tables>,
  id: number,
  wish: Description,
  by: { accountId: string; requestId: string },
): Promise<VersionRow> {
  const { doi, license, description } = wish;
  const values = {
    ...(doi === undefined ? {} : { doi: doi === null ? null : readDoi(doi) }),
    ...(license === undefined ? {} : { license: license === null ? null : readLicense(license) }),
    ...(description === undefined ? {} : { description: description === null ? null : readDescription(description) }),
  };
  return database.transaction().execute(async (transaction) => {
    await lockVersions(transaction);
    const before = await getVersion(transaction, id);
    if (Object.keys(values).length === 0) return before;
    if (values.doi) await refuseTakenDoi(transaction, values.doi, id);
    const version = await transaction
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
    return version;
  });
}
