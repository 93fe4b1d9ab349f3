import { type Kysely, sql, type Transaction } from 'kysely';
import { addFeedbackAudit } from '../feedback/feedback.store.ts';
import { findNeverPublicImages } from '../records/image-use.store.ts';
import type { ImageClient } from '../records/image-client.ts';
import { ORIGIN_DAYS } from '../origin/origin.ts';
import type { Tables } from '../tables.ts';
import { type Eraser, eraseSubmitters } from './erase-submitter.ts';

const ROWS_PER_TRANSACTION = 500;
// With 100 images each, a single call to media-svc releases all of them.
const RECORDS_PER_TRANSACTION = 50;
const RETENTION: Eraser = { accountId: null, requestId: 'retention' };

const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;

/** Erases the origins of decided records and closed feedback, and all origins after 90 days. Returns their number. */
export async function eraseOrigins(database: Kysely<Tables>): Promise<number> {
  // A locked record is being decided; the next run finds it.
  const records = await inBatches(database, async (transaction) => {
    const { numAffectedRows } = await sql`
      update record set origin = null where id in (
        select id from record
        where origin is not null and (status <> 'PENDING' or created_at < ${daysAgo(ORIGIN_DAYS)})
        limit ${ROWS_PER_TRANSACTION} for update skip locked
      )`.execute(transaction);
    return Number(numAffectedRows);
  });
  const feedback = await inBatches(database, async (transaction) => {
    const { numAffectedRows } = await sql`
      update feedback set sender = null where id in (
        select id from feedback
        where sender is not null and (state = 'CLOSED' or submitted_at < ${daysAgo(ORIGIN_DAYS)})
        limit ${ROWS_PER_TRANSACTION} for update skip locked
      )`.execute(transaction);
    return Number(numAffectedRows);
  });
  return records + feedback;
}

/**
 * Erases the data and images of records without an account that were rejected at least `days` days ago and never public.
 * After the last record of a submission, erases its metadata and submitter. Ids, status, dates, and the audit trail remain.
 * Returns the number of records. Throws UNAVAILABLE while media-svc is down.
 */
export async function eraseRejected(
  { database, images }: { database: Kysely<Tables>; images: ImageClient },
  days: number,
): Promise<number> {
  return inBatches(database, async (transaction) => {
    const { rows: records } = await sql<{ id: number; submission_id: number }>`
      select record.id, record.submission_id from record
      join submission on submission.id = record.submission_id
      where record.status = 'REJECTED' and record.owner_account_id is null and record.published_revision is null
        and record.erased_at is null and record.status_since < ${daysAgo(days)} and submission.credential = 'anonymous'
        and not exists (select from audit where audit.record_id = record.id and audit.action = 'approve')
      order by record.id limit ${RECORDS_PER_TRANSACTION} for update of record skip locked`.execute(transaction);
    if (records.length === 0) return 0;
    const list = records.map(({ id }) => id);
    // Images first: after a failure, the next run still finds them through the data.
    await images.release(await findNeverPublicImages(transaction, list), { requestId: RETENTION.requestId });
    const ids = sql<number>`any(${list}::bigint[])`;
    await sql`
      update record_revision
      set data = '{}', warnings = '[]', missing_fields = '{}', content_hash = null, duplicate_hash = null
      where record_id = ${ids}`.execute(transaction);
    await transaction
      .updateTable('record')
      .set({ erased_at: sql`now()` })
      .where('id', '=', ids)
      .execute();
    await sql`
      insert into audit (actor_account_id, action, record_id, record_revision, reason, request_id)
      select null, 'erase', id, revision, null, ${RETENTION.requestId} from record where id = ${ids} order by id
    `.execute(transaction);
    const { rows: empty } = await sql<{ id: number }>`
      update submission set research_metadata = '{}'
      where id = any(${records.map((record) => record.submission_id)}::bigint[]) and not exists (
        select from record where record.submission_id = submission.id and record.erased_at is null
      ) returning id`.execute(transaction);
    await eraseSubmitters(
      transaction,
      empty.map(({ id }) => id),
      RETENTION,
    );
    return records.length;
  });
}

/**
 * Erases the submitters of submissions without an account whose records were all decided at least `days` days ago. If a
 * submitter agreed to be named and has a published record, the consent and the fields in the list of contributors remain.
 * Returns the number of submitters.
 */
export async function eraseOldSubmitters(database: Kysely<Tables>, days: number): Promise<number> {
  return inBatches(database, async (transaction) => {
    const { rows } = await sql<{ id: number; shown: boolean }>`
      with old as (
        select submitter.submission_id as id, submitter.user_metadata,
          coalesce(submitter.user_metadata ->> 'showPublicly' = 'true', false) and exists (
            select from record where record.submission_id = submission.id and record.published_revision is not null
          ) as shown
        from submission
        join submitter on submitter.submission_id = submission.id
        where submission.credential = 'anonymous' and submission.submitted_at < ${daysAgo(days)}
          and not exists (
            select from record
            where record.submission_id = submission.id
              and (record.status = 'PENDING' or record.status_since >= ${daysAgo(days)})
          )
      )
      select id, shown from old where not shown or user_metadata ->> 'email' is not null
      order by id limit ${ROWS_PER_TRANSACTION}`.execute(transaction);
    const shown = rows.filter((row) => row.shown).map(({ id }) => id);
    await sql`
      update submitter set user_metadata = (
        select json_object_agg(key, value) from json_each(user_metadata)
        where key in ('name', 'affiliation', 'orcid', 'showPublicly', 'consentTerms')
      ) where submission_id = any(${shown}::bigint[])`.execute(transaction);
    const others = rows.filter((row) => !row.shown).map(({ id }) => id);
    await eraseSubmitters(transaction, others, RETENTION);
    return rows.length;
  });
}

/** Deletes feedback that was closed at least `days` days ago; returns the number of messages. */
export async function deleteOldFeedback(database: Kysely<Tables>, days: number): Promise<number> {
  return inBatches(database, async (transaction) => {
    const { rows } = await sql<{ id: number }>`
      delete from feedback where id in (
        select id from feedback where state = 'CLOSED' and changed_at < ${daysAgo(days)}
        limit ${ROWS_PER_TRANSACTION} for update skip locked
      ) returning id`.execute(transaction);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await addFeedbackAudit(transaction, ids, RETENTION);
    return ids.length;
  });
}

/** Runs batches, each in its own transaction, until one returns 0; returns the sum of their results. */
async function inBatches(
  database: Kysely<Tables>,
  batch: (transaction: Transaction<Tables>) => Promise<number>,
): Promise<number> {
  for (let done = 0; ;) {
    const some = await database.transaction().execute(batch);
    if (some === 0) return done;
    done += some;
  }
}
