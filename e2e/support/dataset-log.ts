import assert from 'node:assert/strict';
import type { TestStack } from '@esd/testing/stack';
import { query } from './database.ts';

/**
 * Checks in the databases that each approval became exactly one revision of the public dataset, and that the log is complete:
 * dataset revisions without gaps, each with its correct number of records and with contiguous validity of rows.
 */
export async function expectExactlyOnce(stack: TestStack): Promise<void> {
  const approved = await query(
    stack.databaseUrl('esd_submission'),
    `select record_id, record_revision from audit where action = 'approve' order by record_id, record_revision`,
  );
  const dataset = stack.databaseUrl('esd_dataset');
  const logged = await query(
    dataset,
    'select record_id, record_revision from record_revision order by record_id, record_revision',
  );
  assert.deepEqual(logged, approved);
  await expectWholeLog(dataset);
}

/** Checks that the dataset log is complete. */
export async function expectWholeLog(dataset: string): Promise<void> {
  const [head] = await query(
    dataset,
    `select head.revision = (select max(revision) from dataset_revision) as newest,
            head.revision = (select count(*) from dataset_revision) as gapless,
            head.record_count = (select count(*) from record_revision where valid_to is null) as counted,
            head.record_count = (select count(distinct record_id) from record_revision r where not exists (
              select from withdrawal w where w.record_id = r.record_id and w.record_revision > all (
                select o.record_revision from record_revision o where o.record_id = r.record_id))) as complete
       from dataset_head head`,
  );
  assert.deepEqual(head, { newest: true, gapless: true, counted: true, complete: true });
  const miscounted = await query(
    dataset,
    `select r.revision from dataset_revision r
      where r.record_count <> (select count(*) from record_revision v
                                where v.valid_from <= r.revision and (v.valid_to is null or v.valid_to > r.revision))`,
  );
  assert.deepEqual(miscounted, []);
  const disordered = await query(
    dataset,
    `select record_id from (
       select record_id, record_revision, valid_to,
              lead(valid_from) over history as next_from,
              lag(record_revision) over history as former
         from record_revision window history as (partition by record_id order by valid_from)) rows
      where former >= record_revision or (valid_to is distinct from next_from and not exists (
        select from withdrawal w
         where w.record_id = rows.record_id and w.revision = valid_to and (next_from is null or next_from > valid_to)))`,
  );
  assert.deepEqual(disordered, []);
}
