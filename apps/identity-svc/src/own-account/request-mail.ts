import type { Kysely } from 'kysely';
import { queueMail } from '../mail/mail.store.ts';
import type { IdentityTables } from '../tables.ts';
import { parseInput } from '../account/account-input.ts';
import { emailInput, normalizeEmail } from '../account/email-address.ts';

/**
 * Queues the mail without looking up the account, so that neither the response nor its time reveals whether it exists.
 */
export async function requestMail(
  database: Kysely<IdentityTables>,
  kind: 'resend-verification' | 'forgot-password',
  email: string,
): Promise<void> {
  const normalizedEmail = normalizeEmail(parseInput(emailInput, email));
  await database.transaction().execute((transaction) => queueMail(transaction, kind, { normalizedEmail }));
}
