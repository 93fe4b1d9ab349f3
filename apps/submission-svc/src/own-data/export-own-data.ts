import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { RecordContext, RecordRequest } from '../records/context.ts';
import { MAX_IMAGES } from '../records/image-client.ts';
import { withdrawnNow } from '../records/withdrawal.store.ts';
import type { Tables } from '../tables.ts';
import { historyEntries, type HistoryEntry } from './own-history.ts';

const ROWS_PER_STATEMENT = 500;
// A revision has up to 256 KB.
const REVISIONS_PER_STATEMENT = 50;
const CHUNK_BYTES = 256 * 1024;

type Pages<Row> = (after: Row | undefined) => Promise<Row[]>;

/**
 * Exports all data of an account as members of a JSON object: `images`, `submissions`, `records`, `revisions`, `history`,
 * `messages`, `reviews`. Other accounts appear by role only. Images come first: if media-svc is down, throws UNAVAILABLE
 * before any output.
 */
export async function* exportOwnData(
  { database, images }: Pick<RecordContext, 'database' | 'images'>,
  accountId: string,
  request: RecordRequest,
): AsyncGenerator<Buffer> {
  const described = await ownImages({ database, images }, accountId, request);
  let chunk = `"images":${JSON.stringify(described)}`;
  for (const [name, pages] of Object.entries(arrays(database, accountId))) {
    chunk += `,"${name}":[`;
    let separator = '';
    for await (const text of pages()) {
      chunk += separator + text;
      separator = ',';
      if (chunk.length < CHUNK_BYTES) continue;
      yield Buffer.from(chunk);
      chunk = '';
    }
    chunk += ']';
  }
  yield Buffer.from(chunk);
}

function arrays(database: Kysely<Tables>, accountId: string): Record<string, () => AsyncGenerator<string>> {
  return {
    submissions: () =>
      all(async (after?: { submissionId: number }) => {
        const { rows } = await sql<{ submissionId: number }>`
          select submission.id as "submissionId", submitted_at as "submittedAt", credential, image_only as "imageOnly",
            user_metadata as "userMetadata"
          from submission left join submitter on submitter.submission_id = submission.id
          where owner_account_id = ${accountId} and submission.id > ${after?.submissionId ?? 0}
          order by submission.id limit ${ROWS_PER_STATEMENT}`.execute(database);
        return rows;
      }),
    records: () =>
      all(async (after?: { recordId: number }) => {
        const { rows } = await sql<{ recordId: number }>`
          select id as "recordId", submission_id as "submissionId", status, revision,
            published_revision as "publishedRevision", created_at as "createdAt", updated_at as "updatedAt",
            ${withdrawnNow} as withdrawn,
            (select message_id from read_mark where record_id = record.id and by_owner) as "messagesReadUpTo"
          from record where owner_account_id = ${accountId} and id > ${after?.recordId ?? 0}
          order by id limit ${ROWS_PER_STATEMENT}`.execute(database);
        return rows;
      }),
    revisions: () =>
      all(async (after?: { recordId: number; revision: number }) => {
        const { rows } = await sql<{ recordId: number; revision: number }>`
          select record_revision.record_id as "recordId", record_revision.revision, record_revision.created_at as "createdAt",
            missing_fields as "missingFields", warnings, data
          from record_revision join record on record.id = record_revision.record_id
          where owner_account_id = ${accountId}
            and (record_revision.record_id, record_revision.revision) > (${after?.recordId ?? 0}, ${after?.revision ?? 0})
          order by record_revision.record_id, record_revision.revision limit ${REVISIONS_PER_STATEMENT}`.execute(
          database,
        );
        return rows;
      }),
    history: () => all((after?: HistoryEntry) => historyEntries(database, accountId, after)),
    // Includes the messages of the account on records of other accounts.
    messages: () =>
      all(async (after?: { id: number }) => {
        const { rows } = await sql<{ id: number }>`
          select message.id, record_id as "recordId", case when from_owner then 'owner' else 'moderator' end as "from",
            author_account_id is not distinct from ${accountId}::uuid as mine, text, message.created_at as "createdAt"
          from message join record on record.id = message.record_id
          where (owner_account_id = ${accountId} or author_account_id = ${accountId}) and message.id > ${after?.id ?? 0}
          order by message.id limit ${ROWS_PER_STATEMENT}`.execute(database);
        return rows;
      }),
    reviews: () =>
      all(async (after?: { id: number }) => {
        const { rows } = await sql<{ id: number }>`
          select audit.id, record_id as "recordId", record_revision as revision, at, action, reason
          from audit
          where actor_account_id = ${accountId} and audit.id > ${after?.id ?? 0}
            and action in ('approve', 'reject', 'withdraw', 'restore', 'reopen', 'erase_submitter')
          order by audit.id limit ${ROWS_PER_STATEMENT}`.execute(database);
        return rows;
      }),
  };
}

async function* all<Row>(page: Pages<Row>): AsyncGenerator<string> {
  for (let rows = await page(undefined); rows.length > 0; rows = await page(rows.at(-1))) {
    for (const row of rows) yield JSON.stringify(row);
  }
}

async function ownImages(
  { database, images }: Pick<RecordContext, 'database' | 'images'>,
  accountId: string,
  request: RecordRequest,
): Promise<object[]> {
  const { rows } = await sql<{ imageId: string }>`
    select distinct jsonb_array_elements_text(record_revision.image_ids) as "imageId"
    from record_revision join record on record.id = record_revision.record_id
    where owner_account_id = ${accountId} and record_revision.image_ids <> '[]'
    order by 1`.execute(database);
  const described: object[] = [];
  for (let start = 0; start < rows.length; start += MAX_IMAGES) {
    const ids = rows.slice(start, start + MAX_IMAGES).map(({ imageId }) => imageId);
    for (const [imageId, image] of await images.describe(ids, request)) described.push({ imageId, ...image });
  }
  return described;
}
