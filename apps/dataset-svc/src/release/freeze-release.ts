import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { FrozenRelease } from './snapshot-frozen.event.ts';
import { noteChange } from './release.store.ts';

const REQUEST = 'snapshot-frozen';

/**
 * Marks a release as frozen once its files are stored. Ignores repeated events and events of a job that no longer has the release.
 * If the files have a different number of records than the reserved state, the release fails.
 */
export async function freezeRelease(database: Kysely<Tables>, frozen: FrozenRelease, log: Logger): Promise<void> {
  const { jobId, releaseId, recordCount, digest, files, frozenAt } = frozen;
  await database.transaction().execute(async (transaction) => {
    const reserved = await transaction
      .selectFrom('release')
      .select(['identifier', 'state', 'record_count'])
      .where('id', '=', releaseId)
      .where('job_id', '=', jobId)
      .forUpdate()
      .executeTakeFirst();
    if (reserved?.state !== 'BUILDING') {
      if (reserved?.state !== 'FROZEN') log.warn({ releaseId, jobId }, 'files of another job ignored');
      return;
    }
    const change = { release_id: releaseId, account_id: null, request_id: REQUEST };
    if (reserved.record_count !== recordCount) {
      const failure = `The files have ${recordCount} records, but the reserved state has ${reserved.record_count}.`;
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
    log.info({ version: reserved.identifier, recordCount, digest }, 'release frozen');
  });
}
