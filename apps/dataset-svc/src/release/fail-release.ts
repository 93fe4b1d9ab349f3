import { ServiceError } from '@esd/service/errors';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { findReleaseOfJob, noteChange, type ReleaseRow } from './release.store.ts';

const MAX_REASON_LENGTH = 1_000;

/** Marks the release of a job as failed unless it is frozen. Throws VERSION_NOT_FOUND for a job without a release. */
export async function failRelease(
  database: Kysely<Tables>,
  { jobId, reason }: { jobId: string; reason: string },
  requestId: string,
): Promise<ReleaseRow> {
  return database.transaction().execute(async (transaction) => {
    const failure = reason.slice(0, MAX_REASON_LENGTH);
    const failed = await transaction
      .updateTable('release')
      .set({ state: 'FAILED', failure })
      .where('job_id', '=', jobId)
      .where('state', '=', 'BUILDING')
      .returningAll()
      .executeTakeFirst();
    if (failed) {
      const change = { release_id: failed.id, account_id: null, request_id: requestId, details: { jobId, failure } };
      await noteChange(transaction, { ...change, action: 'fail' });
      return failed;
    }
    const current = await findReleaseOfJob(transaction, jobId);
    if (!current) throw new ServiceError('VERSION_NOT_FOUND', `The job ${jobId} has no release.`);
    return current;
  });
}
