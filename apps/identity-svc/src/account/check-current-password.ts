import { ServiceError } from '@esd/service/errors';
import type { LoginThrottle } from '../login-throttle/login-throttle.ts';
import type { AccountRow } from './account.table.ts';
import type { Passwords } from './password.ts';

/**
 * Checks the current password of an account. Throws BAD_CREDENTIALS, RATE_LIMITED as for a login, and UNAVAILABLE when
 * too many passwords wait to be checked.
 */
export async function checkCurrentPassword(
  passwords: Passwords,
  throttle: LoginThrottle,
  account: Pick<AccountRow, 'email_normalized' | 'password_hash'>,
  password: string,
  { clientIp, signal }: { clientIp: string | undefined; signal: AbortSignal },
): Promise<void> {
  await throttle.check(account.email_normalized, clientIp);
  if (await passwords.verify(account.password_hash, password, signal)) return;
  await throttle.recordFailure(account.email_normalized, clientIp);
  throw wrongPassword();
}

export function wrongPassword(): ServiceError {
  return new ServiceError('BAD_CREDENTIALS', 'The current password is wrong.');
}
