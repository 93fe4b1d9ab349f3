import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { FrozenVersion } from './snapshot-frozen.event.ts';
import { noteChange } from './version.store.ts';

const REQUEST = 'snapshot-frozen';

/**
 * Lists the version whose files are stored. What comes twice, or from a job that does not hold the version any more,
 * changes nothing. Files with another number of records than were reserved make the version a failed one.
 */
export async function freezeVersion(database: Kysely<Tables>, frozen: FrozenVersion, log: Logger): Promise<void> {
  const { jobId, versionId, recordCount, digest, files, frozenAt } = frozen;
  await database.transaction().execute(async (transaction) => {
    const held = await transaction
      .selectFrom('version')
      .select(['identifier', 'state', 'record_count'])
      .where('id', '=', versionId)
      .where('job_id', '=', jobId)
      .forUpdate()
      .executeTakeFirst();
    if (held?.state !== 'BUILDING') {
      if (held?.state !== 'FROZEN') log.warn({ versionId, jobId }, 'files of a version that the job does not hold');
      return;
    }
    const change = { version_id: versionId, account_id: null, request_id: REQUEST };
    if (held.record_count !== recordCount) {
      const failure = `Its files hold ${recordCount} records, the dataset held ${held.record_count}.`;
      await transaction.updateTable('version').set({ state: 'FAILED', failure }).where('id', '=', versionId).execute();
      await noteChange(transaction, { ...change, action: 'fail', details: { jobId, failure } });
      log.error({ versionId, jobId }, failure);
      return;
    }
    await transaction
      .updateTable('version')
      .set({ state: 'FROZEN', digest, files: JSON.stringify(files), frozen_at: frozenAt })
      .where('id', '=', versionId)
      .execute();
    await noteChange(transaction, { ...change, action: 'freeze', details: { jobId, digest, files } });
    log.info({ version: held.identifier, recordCount, digest }, 'the version is frozen');
  });
}
