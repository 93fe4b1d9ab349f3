import type { Kysely } from 'kysely';
import { addToOutbox } from '@esd/events/outbox';
import { SUBJECTS } from '@esd/events/stream';
import { AccountDeleted } from '@esd/proto/esd/events/v1/account_deleted';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { refuseLastAdmin } from '../account/last-admin.ts';
import { type AuditOrigin, eraseAuditOrigins, writeAudit } from '../audit/write-audit.ts';
import type { LoginThrottle } from '../login-throttle/login-throttle.ts';
import { deleteMailsByAddress, queueMail } from '../mail/mail.store.ts';
import { refuseEndedSession } from '../session/session.store.ts';
import type { IdentityTables } from '../tables.ts';
import { deleteAccountRow, insertDeletedAccount, lockAccountById, lockAdmins } from '../account/account.store.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import type { Passwords } from '../account/password.ts';
import { checkCurrentPassword } from '../account/check-current-password.ts';

/**
 * Deletes the caller's account except its opaque id, publishes an event for the other services, and queues a mail that
 * confirms it. Throws
 * INVALID_REQUEST for a personal access token without a password, CONFLICT for the last enabled ADMIN, and the errors
 * of `checkCurrentPassword` and `getOwnAccount`.
 */
export async function deleteAccount(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  throttle: LoginThrottle,
  password: string | undefined,
  origin: AuditOrigin & { caller: Caller | undefined; signal: AbortSignal },
): Promise<void> {
  const { caller } = origin;
  const { id, ...own } = await getOwnAccount(database, caller);
  if (caller?.credential === 'pat' && password === undefined) {
    const message =
      'With a personal access token, the body must contain the password of the account: {"password": "…"}.';
    throw new ServiceError('INVALID_REQUEST', message);
  }
  if (password !== undefined) await checkCurrentPassword(passwords, throttle, own, password, origin);
  await database.transaction().execute(async (transaction) => {
    await lockAdmins(transaction);
    const account = await lockAccountById(transaction, id);
    if (!account) throw new ServiceError('TOKEN_REVOKED', 'The account of this token was deleted.');
    if (caller) await refuseEndedSession(transaction, caller);
    await refuseLastAdmin(transaction, account);
    const deletedAt = new Date();
    await writeAudit(transaction, { action: 'account-deleted', actor: id, subject: id }, origin);
    await eraseAuditOrigins(transaction, id);
    await deleteMailsByAddress(transaction, account.email_normalized);
    await insertDeletedAccount(transaction, id, deletedAt);
    await deleteAccountRow(transaction, id);
    const body = AccountDeleted.encode({ accountId: id, deletedAt }).finish();
    if (account.email_verified) await queueMail(transaction, 'account-deleted', { normalizedEmail: account.email });
    await addToOutbox(transaction, [{ subject: SUBJECTS.accountDeleted, body }]);
  });
}
