import type { ExperimentData } from '@esd/record/catalog/catalog';
import { hasValues } from '@esd/record/validate/missing-fields';
import { ProblemList } from '@esd/record/validate/problems';
import type { Kysely } from 'kysely';
import { newestRevisions } from '../records/revision.store.ts';
import { throwProblems } from '../records/validation-failed.ts';
import type { Tables } from '../tables.ts';

/** The number of records without values that an account can submit in a row. */
const MAX_IN_A_ROW = 2;

/** Throws VALIDATION_FAILED with NO_VALUES for each record of an account without values that follows two others. */
export async function refuseEmptyRecords(
  database: Kysely<Tables>,
  accountId: string,
  records: readonly { data: ExperimentData }[],
): Promise<void> {
  const latest = await newestRevisions(database)
    .innerJoin('submission', 'submission.id', 'record.submission_id')
    .select(['record_revision.data', 'submission.image_only as imageOnly'])
    .where('record.owner_account_id', '=', accountId)
    .orderBy('record.id', 'desc')
    .limit(MAX_IN_A_ROW)
    .execute();
  const lastWithValues = latest.findIndex(({ data, imageOnly }) => imageOnly || hasValues(data));
  let inARow = lastWithValues === -1 ? latest.length : lastWithValues;
  const problems = new ProblemList();
  for (const [index, { data }] of records.entries()) {
    inARow = hasValues(data) ? 0 : inARow + 1;
    if (inARow <= MAX_IN_A_ROW) continue;
    const message = `The record has no values, as the ${MAX_IN_A_ROW} records before it. Add its values or leave it out.`;
    problems.add(`experimentData[${index}]`, 'NO_VALUES', () => message);
  }
  throwProblems(problems);
}
