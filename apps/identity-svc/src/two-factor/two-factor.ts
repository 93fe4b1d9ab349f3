import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { lockAccountById } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { checkCurrentPassword } from '../account/check-current-password.ts';
import { getOwnAccount } from '../account/get-own-account.ts';
import type { Passwords } from '../account/password.ts';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { LoginThrottle } from '../login-throttle/login-throttle.ts';
import { queueNotice } from '../mail/notice.ts';
import { endSessionsOfAccount, refuseEndedSession } from '../session/session.store.ts';
import type { IdentityTables } from '../tables.ts';
import { newOtpSecret, otpEnrollment } from './one-time-code.ts';
import { newRecoveryCode, recoveryCodeHash } from './recovery-code.ts';
import { checkSecondFactor, takeCode } from './second-factor.ts';
import type { SecretBox } from './secret-box.ts';
import {
  confirmTwoFactor,
  countRecoveryCodesLeft,
  deleteTwoFactor,
  findTwoFactor,
  replacePendingTwoFactor,
} from './two-factor.store.ts';

const RECOVERY_CODES = 10;

export interface TwoFactorParts {
  database: Kysely<IdentityTables>;
  passwords: Passwords;
  throttle: LoginThrottle;
  /** Encrypts the secrets of authenticators; undefined without a key. */
  box: SecretBox | undefined;
}

type Origin = AuditOrigin & { signal: AbortSignal };

export async function getTwoFactor(
  { database }: Pick<TwoFactorParts, 'database'>,
  { accountId }: Caller,
): Promise<{ enabled: boolean; recoveryCodesLeft: number }> {
  const enabled = (await findTwoFactor(database, accountId))?.confirmed ?? false;
  return { enabled, recoveryCodesLeft: await countRecoveryCodesLeft(database, accountId) };
}

/**
 * Creates a secret, which is inactive until confirmed. Throws NOT_IMPLEMENTED without a key, CONFLICT if two-factor
 * sign-in is on, and the errors of `checkCurrentPassword`.
 */
export async function beginTwoFactor(
  { database, passwords, throttle, box }: TwoFactorParts,
  caller: Caller,
  password: string,
  origin: Origin,
): Promise<{ secret: string; otpauthUrl: string }> {
  if (!box) {
    const message = 'Two-factor sign-in is not available: the operator of the service must set ESD_SECRETS_KEY.';
    throw new ServiceError('NOT_IMPLEMENTED', message);
  }
  const account = await getOwnAccount(database, caller);
  await checkCurrentPassword(passwords, throttle, account, password, origin);
  const secret = newOtpSecret();
  await asOwner(database, caller, async (transaction, { id }) => {
    if ((await findTwoFactor(transaction, id))?.confirmed) throw isOnAlready();
    await replacePendingTwoFactor(transaction, id, box.seal(secret, id));
  });
  return otpEnrollment(secret, account.email);
}

/**
 * Turns two-factor sign-in on, ends every other session, and returns the recovery codes. Throws CONFLICT if it is
 * already on or was not begun, BAD_CREDENTIALS for a wrong code, and RATE_LIMITED after too many wrong codes.
 */
export async function turnOnTwoFactor(
  { database, throttle, box }: TwoFactorParts,
  caller: Caller,
  otp: string,
  origin: Origin,
): Promise<string[]> {
  const { email_normalized: email } = await getOwnAccount(database, caller);
  await throttle.check(email, origin.clientIp);
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const right = await asOwner(database, caller, async (transaction, { id }) => {
    const state = await findTwoFactor(transaction, id);
    if (!state) throw new ServiceError('CONFLICT', 'There is no secret to confirm; start with POST /auth/two-factor.');
    if (state.confirmed) throw isOnAlready();
    if (!(await takeCode(transaction, box, id, state.sealedSecret, otp))) return false;
    await confirmTwoFactor(transaction, id, codes.map(recoveryCodeHash));
    await endSessionsOfAccount(transaction, id, caller.sessionId);
    await queueNotice(transaction, id, 'two-factor-on');
    await writeAudit(transaction, { action: 'two-factor-on', actor: id, subject: id }, origin);
    return true;
  });
  if (right) return codes;
  await throttle.recordFailure(email, origin.clientIp);
  throw new ServiceError('BAD_CREDENTIALS', 'The code is wrong; send the current code from the authenticator.');
}

/**
 * Turns two-factor sign-in off. `otp`: a code from the authenticator or a recovery code. Throws CONFLICT if two-factor
 * sign-in is not on, BAD_CREDENTIALS, RATE_LIMITED, and the errors of `checkSecondFactor`.
 */
export async function turnOffTwoFactor(
  { database, passwords, throttle, box }: TwoFactorParts,
  caller: Caller,
  { password, otp }: { password: string; otp: string },
  origin: Origin,
): Promise<void> {
  const account = await getOwnAccount(database, caller);
  await checkCurrentPassword(passwords, throttle, account, password, origin);
  const second = await asOwner(database, caller, async (transaction, { id }) => {
    const checked = await checkSecondFactor(transaction, box, id, otp);
    if (checked !== 'right') return checked;
    await deleteTwoFactor(transaction, id);
    await queueNotice(transaction, id, 'two-factor-off');
    await writeAudit(transaction, { action: 'two-factor-off', actor: id, subject: id }, origin);
    return checked;
  });
  if (second === 'right') return;
  if (second === 'none') throw new ServiceError('CONFLICT', 'Two-factor sign-in is not on.');
  await throttle.recordFailure(account.email_normalized, origin.clientIp);
  throw new ServiceError('BAD_CREDENTIALS', 'The password or the code is wrong.');
}

/** Runs `change` with the caller's account locked. Throws TOKEN_REVOKED if the session has ended. */
async function asOwner<Result>(
  database: Kysely<IdentityTables>,
  caller: Caller,
  change: (transaction: Transaction<IdentityTables>, account: AccountRow) => Promise<Result>,
): Promise<Result> {
  return await database.transaction().execute(async (transaction) => {
    const account = await lockAccountById(transaction, caller.accountId);
    if (!account) throw new ServiceError('TOKEN_REVOKED', 'The account of this session was deleted.');
    await refuseEndedSession(transaction, caller);
    return await change(transaction, account);
  });
}

function isOnAlready(): ServiceError {
  return new ServiceError(
    'CONFLICT',
    'Two-factor sign-in is already on; turn it off first to change the authenticator.',
  );
}
