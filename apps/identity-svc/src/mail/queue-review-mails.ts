import type { Kysely } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import { queueMessageMail, queueReviewMail } from './mail.store.ts';
import type { WrittenMessage } from './record-message.event.ts';
import type { ReviewedRecords } from './record-reviewed.event.ts';

// Shorter than the retention of mails, so that reading the event stream from its beginning sends no mail twice.
const MAX_AGE_DAYS = 7;

/** Queues exactly one mail per decision batch. */
export async function queueReviewMails(
  database: Kysely<IdentityTables>,
  events: readonly ReviewedRecords[],
): Promise<void> {
  const oldest = Date.now() - MAX_AGE_DAYS * 86_400_000;
  const recent = events.filter(({ reviewedAt }) => reviewedAt.getTime() >= oldest);
  if (recent.length === 0) return;
  await database.transaction().execute(async (transaction) => {
    for (const { accountId, decisions, key } of recent) {
      await queueReviewMail(transaction, accountId, decisions, key);
    }
  });
}

export async function queueMessageMails(
  database: Kysely<IdentityTables>,
  events: readonly WrittenMessage[],
): Promise<void> {
  const oldest = Date.now() - MAX_AGE_DAYS * 86_400_000;
  const recent = events.filter(({ writtenAt }) => writtenAt.getTime() >= oldest);
  if (recent.length === 0) return;
  await database.transaction().execute(async (transaction) => {
    // Sorted, so that two batches cannot deadlock.
    const mails = recent.flatMap((event) => event.accountIds.map((accountId) => ({ accountId, event })));
    for (const { accountId, event } of mails.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))) {
      await queueMessageMail(transaction, accountId, event);
    }
  });
}
