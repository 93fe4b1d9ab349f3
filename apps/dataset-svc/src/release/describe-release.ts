import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { readDescription, readDoi, readFacts, readLicense } from './release-input.ts';
import { getRelease, lockReleases, noteChange, refuseTakenDoi, type ReleaseRow } from './release.store.ts';

/** Changes to a release: an absent member stays unchanged, null removes the value. */
export interface Description {
  doi?: string | null;
  license?: string | null;
  description?: string | null;
  factsJson?: string | undefined;
}

/** Describes a release in any state. Throws VERSION_NOT_FOUND, INVALID_REQUEST, and CONFLICT if the DOI is taken. */
export async function describeRelease(
  database: Kysely<Tables>,
  id: number,
  input: Description,
  by: { accountId: string; requestId: string },
): Promise<ReleaseRow> {
  const { doi, license, description, factsJson } = input;
  const values = {
    ...(doi === undefined ? {} : { doi: doi === null ? null : readDoi(doi) }),
    ...(license === undefined ? {} : { license: license === null ? null : readLicense(license) }),
    ...(description === undefined ? {} : { description: description === null ? null : readDescription(description) }),
  };
  const facts = factsJson === undefined ? undefined : readFacts(factsJson);
  return database.transaction().execute(async (transaction) => {
    await lockReleases(transaction);
    const before = await getRelease(transaction, id);
    if (Object.keys(values).length === 0 && !facts) return before;
    if (values.doi) await refuseTakenDoi(transaction, values.doi, id);
    const release = await transaction
      .updateTable('release')
      .set({ ...values, ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const { doi, license, description } = before;
    const changed = facts === undefined ? [{}, {}] : [{ facts: before.facts }, { facts }];
    await noteChange(transaction, {
      release_id: id,
      account_id: by.accountId,
      request_id: by.requestId,
      action: 'describe',
      details: {
        before: { doi, license, description, ...changed[0] },
        after: { ...values, ...changed[1] },
      },
    });
    return release;
  });
}
