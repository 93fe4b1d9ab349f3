import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import { getHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { readDescription, readDoi, readFacts, readIdentifier, readLicense } from './release-input.ts';
import { findReleaseOfJob, lockReleases, noteChange, refuseTakenDoi, type ReleaseRow } from './release.store.ts';

export interface ReleaseInput {
  jobId: string;
  identifier: string;
  description?: string | undefined;
  doi?: string | undefined;
  license?: string | undefined;
  factsJson: string;
  accountId: string;
}

/**
 * Reserves the newest state of the dataset under an identifier. The release is readable once its files are stored. Idempotent by job.
 * Another job can retry a failed release, with the newest state at that time. Throws INVALID_REQUEST, and CONFLICT if the identifier or
 * the DOI is taken.
 */
export async function reserveRelease(
  database: Kysely<Tables>,
  input: ReleaseInput,
  requestId: string,
): Promise<ReleaseRow> {
  const identifier = readIdentifier(input.identifier);
  const doi = input.doi === undefined ? null : readDoi(input.doi);
  const facts = readFacts(input.factsJson);
  const license = input.license === undefined ? facts.license : readLicense(input.license);
  const description = input.description === undefined ? null : readDescription(input.description);
  return database.transaction().execute(async (transaction) => {
    await lockReleases(transaction);
    const existing = await findReleaseOfJob(transaction, input.jobId);
    if (existing) return existing;
    const previous = await transaction
      .selectFrom('release')
      .select(['id', 'state'])
      .where('identifier', '=', identifier)
      .executeTakeFirst();
    if (previous && previous.state !== 'FAILED') {
      const how = previous.state === 'FROZEN' ? 'is already frozen' : 'is being built';
      throw new ServiceError('CONFLICT', `The release ${identifier} ${how}. Choose another identifier.`);
    }
    if (doi !== null) await refuseTakenDoi(transaction, doi, previous?.id);
    const head = await getHead(transaction);
    const values = {
      state: 'BUILDING' as const,
      job_id: input.jobId,
      revision: head.revision,
      record_count: head.recordCount,
      created_at: new Date(),
      doi,
      license,
      description,
      failure: null,
      facts: JSON.stringify(facts),
    };
    const release = previous
      ? await transaction
          .updateTable('release')
          .set(values)
          .where('id', '=', previous.id)
          .returningAll()
          .executeTakeFirstOrThrow()
      : await transaction
          .insertInto('release')
          .values({ ...values, identifier })
          .returningAll()
          .executeTakeFirstOrThrow();
    await noteChange(transaction, {
      release_id: release.id,
      account_id: input.accountId,
      request_id: requestId,
      action: 'reserve',
      details: { jobId: input.jobId, revision: head.revision, doi, license, description },
    });
    return release;
  });
}
