import type { Kysely } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { LoginThrottle } from '../login-throttle/login-throttle.ts';
import { accountOfMailToken } from '../mail/account-of-mail-token.ts';
import { voidMailTokens } from '../mail/mail-token.store.ts';
import { deleteWaitingVerifications } from '../mail/mail.store.ts';
import { queueNotice } from '../mail/notice.ts';
import { endSessionsOfAccount } from '../session/session.store.ts';
import type { IdentityTables } from '../tables.ts';
import { revokeTokensOfAccount } from '../token/token.store.ts';
import { newPasswordInput, parseInput } from '../account/account-input.ts';
import { lockAccountUnchanged, updateAccount } from '../account/account.store.ts';
import { checkCurrentPassword, wrongPassword } from '../account/check-current-password.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import type { Passwords } from '../account/password.ts';

/**
 * Sets the password with the token of a mail. Also verifies the email address, ends every session, and revokes every
 * personal access token, which a thief of the old password may have created. Throws INVALID_REQUEST, UNAVAILABLE, and
 * the errors of `accountOfMailToken`.
 */
export async function resetPassword(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  throttle: LoginThrottle,
  request: { token: string; newPassword: string },
  origin: AuditOrigin & { signal: AbortSignal },
): Promise<void> {
  const { token } = request;
  const newPassword = parseInput(newPasswordInput, request.newPassword);
  // Passwords are hashed only for callers with a valid token.
  await database.transaction().execute((transaction) => accountOfMailToken(transaction, token, 'set-password'));
  const passwordHash = await passwords.hash(newPassword, origin.signal);
  await database.transaction().execute(async (transaction) => {
    const { id, email_normalized, email_verified } = await accountOfMailToken(transaction, token, 'set-password');
    await updateAccount(transaction, id, {
      password_hash: passwordHash,
      email_verified: true,
      registered_again: false,
    });
    await deleteWaitingVerifications(transaction, id);
    await voidMailTokens(transaction, id, ['set-password', 'verify-email']);
    await endSessionsOfAccount(transaction, id);
    const revoked = await revokeTokensOfAccount(transaction, id);
    // The first password of an account needs no notice.
    if (email_verified) await queueNotice(transaction, id, 'password-reset');
    // The reader of the mail must not wait because another person guessed passwords.
    await throttle.recordSuccess(transaction, { accountId: id, email: email_normalized }, origin.clientIp);
    const details = { tokensRevoked: String(revoked) };
    await writeAudit(transaction, { action: 'password-reset', actor: null, subject: id, details }, origin);
  });
}

/**
 * Changes the password and ends every other session of the account. Throws INVALID_REQUEST for the new password, and
 * the errors of `checkCurrentPassword` and `getOwnAccount`.
 */
export async function changePassword(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  throttle: LoginThrottle,
  request: { currentPassword: string; newPassword: string; revokeTokens?: boolean | undefined },
  origin: AuditOrigin & { caller: Caller | undefined; signal: AbortSignal },
): Promise<void> {
  const account = await getOwnAccount(database, origin.caller);
  const newPassword = parseInput(newPasswordInput, request.newPassword);
  await checkCurrentPassword(passwords, throttle, account, request.currentPassword, origin);
  const passwordHash = await passwords.hash(newPassword, origin.signal);
  await database.transaction().execute(async (transaction) => {
    // A concurrent change may have replaced the password that was just checked.
    if (!(await lockAccountUnchanged(transaction, account.id, account.password_hash, 'change'))) throw wrongPassword();
    await updateAccount(transaction, account.id, { password_hash: passwordHash });
    await voidMailTokens(transaction, account.id, ['set-password']);
    await endSessionsOfAccount(transaction, account.id, origin.caller?.sessionId);
    const revoked = request.revokeTokens ? await revokeTokensOfAccount(transaction, account.id) : 0;
    await queueNotice(transaction, account.id, 'password-changed');
    const details = { tokensRevoked: String(revoked) };
    await writeAudit(
      transaction,
      { action: 'password-changed', actor: account.id, subject: account.id, details },
      origin,
    );
  });
}
