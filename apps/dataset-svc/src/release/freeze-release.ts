import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { FrozenRelease } from './snapshot-frozen.event.ts';
import { noteChange } from './release.store.ts';

const REQUEST = 'snapshot-frozen';

/**
 * Lists the release whose files are stored. What comes twice, or from a job that does not hold the release any more,
 * changes nothing. Files with another number of records than were reserved make the release a failed one.
 */
export async function freezeRelease(database: Kysely<Tables>, frozen: FrozenRelease, log: Logger): Promise<void> {
  const { jobId, releaseId, recordCount, digest, files, frozenAt } = frozen;
  await database.transaction().execute(async (transaction) => {
    const held = await transaction
      .selectFrom('release')
      .select(['identifier', 'state', 'record_count'])
      .where('id', '=', releaseId)
      .where('job_id', '=', jobId)
      .forUpdate()
      .executeTakeFirst();
    if (held?.state !== 'BUILDING') {
      if (held?.state !== 'FROZEN') log.warn({ releaseId, jobId }, 'files of a version that the job does not hold');
      return;
    }
    const change = { release_id: releaseId, account_id: null, request_id: REQUEST };
    if (held.record_count !== recordCount) {
      const failure = `Its files hold ${recordCount} records, the dataset held ${held.record_count}.`;
      await transaction.updateTable('release').set({ state: 'FAILED', failure }).where('id', '=', releaseId).execute();
      await noteChange(transaction, { ...change, action: 'fail', details: { jobId, failure } });
      log.error({ releaseId, jobId }, failure);
      return;
    }
    await transaction
      .updateTable('release')
      .set({ state: 'FROZEN', digest, files: JSON.stringify(files), frozen_at: frozenAt })
      .where('id', '=', releaseId)
      .execute();
    await noteChange(transaction, { ...change, action: 'freeze', details: { jobId, digest, files } });
    log.info({ version: held.identifier, recordCount, digest }, 'the version is frozen');
  });
}
