import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { findAccountByEmail } from '../account/account.store.ts';
import { normalizeEmail } from '../account/email-address.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { queueNotice } from '../mail/notice.ts';
import type { IdentityTables } from '../tables.ts';
import { deleteTwoFactor } from './two-factor.store.ts';

/**
 * Turns two-factor sign-in of an account off, as an operator. The audit trail has no actor for it; the owner gets the usual
 * notice. Throws an Error if the account does not exist or has no second factor.
 */
export async function resetTwoFactor(database: Kysely<IdentityTables>, email: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const account = await findAccountByEmail(transaction, normalizeEmail(email));
    if (!account) throw new Error(`No account has the email address ${email}.`);
    const { id } = account;
    if (!(await deleteTwoFactor(transaction, id))) throw new Error(`${email} has no second factor.`);
    await queueNotice(transaction, id, 'two-factor-off');
    await writeAudit(
      transaction,
      { action: 'two-factor-reset', actor: null, subject: id },
      { requestId: randomUUID(), clientIp: undefined },
    );
  });
}
