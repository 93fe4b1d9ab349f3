import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import { getHead } from '../dataset-log/dataset-log.store.ts';
import type { Tables } from '../tables.ts';
import { readDescription, readDoi, readFacts, readIdentifier, readLicense } from './release-input.ts';
import { findReleaseOfJob, lockReleases, noteChange, refuseTakenDoi, type ReleaseRow } from './release.store.ts';

/** A release that is asked for. */
export interface ReleaseInput {
  jobId: string;
  identifier: string;
  description?: string | undefined;
  doi?: string | undefined;
  license?: string | undefined;
  /** What is said of the dataset, JSON text. */
  factsJson: string;
  /** Opaque account id of who asks. */
  accountId: string;
}

/**
 * Sets the newest state of the dataset aside under an identifier, whatever its size; it can be read once its files are
 * stored. The same job gets the release that it holds. A release that failed can be tried again by another job, at the
 * state that is the newest then. Throws INVALID_REQUEST, and CONFLICT when identifier or DOI are taken.
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
    const held = await findReleaseOfJob(transaction, input.jobId);
    if (held) return held;
    const former = await transaction
      .selectFrom('release')
      .select(['id', 'state'])
      .where('identifier', '=', identifier)
      .executeTakeFirst();
    if (former && former.state !== 'FAILED') {
      const how = former.state === 'FROZEN' ? 'is frozen already' : 'is being built';
      throw new ServiceError('CONFLICT', `The version ${identifier} ${how}; choose another identifier.`);
    }
    if (doi !== null) await refuseTakenDoi(transaction, doi, former?.id);
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
    const release = former
      ? await transaction
          .updateTable('release')
          .set(values)
          .where('id', '=', former.id)
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
