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
 * Also verifies the address, ends every session, and revokes every personal access token, which a holder of the old
 * password may have created. Throws INVALID_REQUEST, UNAVAILABLE, and as `accountOfMailToken`.
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
    // Guesses of others do not throttle the reader of the mail.
    await throttle.recordSuccess(transaction, { accountId: id, email: email_normalized }, origin.clientIp);
    const details = { tokensRevoked: String(revoked) };
    await writeAudit(transaction, { action: 'password-reset', actor: null, subject: id, details }, origin);
  });
}

/**
 * Ends every other session of the account. Throws INVALID_REQUEST for the new password, and as `checkCurrentPassword`
 * and `getOwnAccount`.
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
    // After a concurrent change, the sent password is no longer the current one.
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
