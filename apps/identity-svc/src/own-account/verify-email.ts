import type { Kysely } from 'kysely';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { accountOfMailToken } from '../mail/account-of-mail-token.ts';
import { voidMailTokens } from '../mail/mail-token.store.ts';
import { deleteWaitingVerifications } from '../mail/mail.store.ts';
import type { IdentityTables } from '../tables.ts';
import { updateAccount } from '../account/account.store.ts';

/** Verifies the email address of a registration. Throws the errors of `accountOfMailToken`. */
export async function verifyEmail(database: Kysely<IdentityTables>, token: string, origin: AuditOrigin): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const { id } = await accountOfMailToken(transaction, token, 'verify-email');
    await updateAccount(transaction, id, { email_verified: true });
    await deleteWaitingVerifications(transaction, id);
    await voidMailTokens(transaction, id, ['verify-email']);
    await writeAudit(transaction, { action: 'email-verified', actor: null, subject: id }, origin);
  });
}
