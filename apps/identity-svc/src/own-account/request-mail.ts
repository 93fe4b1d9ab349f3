import type { Kysely } from 'kysely';
import { queueMail } from '../mail/mail.store.ts';
import type { IdentityTables } from '../tables.ts';
import { parseInput } from '../account/account-input.ts';
import { emailInput, normalizeEmail } from '../account/email-address.ts';

/**
 * Queues a mail that somebody asked for by an address. Whether the address has an account is found out when the mail is
 * sent, so that neither the answer nor its time tells. Throws INVALID_REQUEST for what is no address.
 */
export async function requestMail(
  database: Kysely<IdentityTables>,
  kind: 'resend-verification' | 'forgot-password',
  email: string,
): Promise<void> {
  const normalizedEmail = normalizeEmail(parseInput(emailInput, email));
  await database.transaction().execute((transaction) => queueMail(transaction, kind, { normalizedEmail }));
}
