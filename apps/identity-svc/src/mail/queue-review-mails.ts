import type { Kysely } from 'kysely';
import type { IdentityTables } from '../tables.ts';
import { queueReviewMail } from './mail.store.ts';
import type { ReviewedRecords } from './record-reviewed.event.ts';

// Mails are remembered for longer than that, so that a stream that is read anew from its beginning sends nothing twice.
const NEWS_DAYS = 7;

/** Queues one mail a decision batch, whatever was queued before; what is no news any more is left out. */
export async function queueReviewMails(
  database: Kysely<IdentityTables>,
  events: readonly ReviewedRecords[],
): Promise<void> {
  const oldest = Date.now() - NEWS_DAYS * 86_400_000;
  const news = events.filter(({ reviewedAt }) => reviewedAt.getTime() >= oldest);
  if (news.length === 0) return;
  await database.transaction().execute(async (transaction) => {
    for (const { accountId, decisions, key } of news) {
      await queueReviewMail(transaction, accountId, decisions, key);
    }
  });
}
