import type { Kysely } from 'kysely';
import { eraseAuditOrigins } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { deleteMailsOlderThan } from './mail.store.ts';

export const KEEP_MAILS_DAYS = 30;
const KEEP_TOKENS_DAYS = 7;
export const KEEP_UNVERIFIED_DAYS = 7;
const BATCH = 1_000;

/**
 * Deletes old mails and tokens. Also deletes accounts that are older than a week, unverified, and without a mail of the
 * last week; no other service has data about them.
 */
export async function deleteExpiredMails(database: Kysely<IdentityTables>): Promise<void> {
  await deleteMailsOlderThan(database, KEEP_MAILS_DAYS);
  await database.deleteFrom('mail_token').where('expires_at', '<', daysAgo(KEEP_TOKENS_DAYS)).execute();
  await database.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('account')
      .where('id', 'in', (of) =>
        of
          .selectFrom('account')
          .select('id')
          .where('email_verified', '=', false)
          .where('enabled', '=', true)
          .where('created_at', '<', daysAgo(KEEP_UNVERIFIED_DAYS))
          .where((account) =>
            account.not(
              account.exists(
                account
                  .selectFrom('mail')
                  .select('mail.id')
                  .whereRef('mail.account_id', '=', 'account.id')
                  .where('mail.created_at', '>', daysAgo(KEEP_UNVERIFIED_DAYS)),
              ),
            ),
          )
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .returning('id')
      .execute();
    for (const { id } of removed) await eraseAuditOrigins(transaction, id);
  });
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000);
}
