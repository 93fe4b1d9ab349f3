import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { otpStep } from './one-time-code.ts';
import { recoveryCodeHash } from './recovery-code.ts';
import type { SecretBox } from './secret-box.ts';
import { findTwoFactor, takeRecoveryCode, takeStep } from './two-factor.store.ts';

/**
 * Checks a second factor. Returns `none` if two-factor sign-in is off. When the transaction commits, a
 * correct code is used up, and neither it nor an earlier code is accepted again. Throws UNAVAILABLE if this process
 * does not have the key of the secret.
 */
export async function checkSecondFactor(
  transaction: Transaction<IdentityTables>,
  box: SecretBox | undefined,
  accountId: string,
  otp: string | undefined,
): Promise<'none' | 'missing' | 'wrong' | 'right'> {
  const state = await findTwoFactor(transaction, accountId);
  if (!state?.confirmed) return 'none';
  if (otp === undefined) return 'missing';
  if (await takeRecoveryCode(transaction, accountId, recoveryCodeHash(otp))) return 'right';
  return (await takeCode(transaction, box, accountId, state.sealedSecret, otp)) ? 'right' : 'wrong';
}

/** Uses up a code from the authenticator. Returns false for a wrong or used code. */
export async function takeCode(
  transaction: Transaction<IdentityTables>,
  box: SecretBox | undefined,
  accountId: string,
  sealedSecret: Buffer,
  otp: string,
): Promise<boolean> {
  const secret = openSecret(box, sealedSecret, accountId);
  const step = otpStep(secret, otp.replaceAll(/\s/g, ''), Date.now());
  return step !== undefined && (await takeStep(transaction, accountId, step));
}

function openSecret(box: SecretBox | undefined, sealedSecret: Buffer, accountId: string): Buffer {
  const message = 'Authenticator codes cannot be checked at the moment; use a recovery code.';
  if (!box) throw new ServiceError('UNAVAILABLE', message, { cause: new Error('ESD_SECRETS_KEY is not set') });
  try {
    return box.open(sealedSecret, accountId);
  } catch (cause) {
    throw new ServiceError('UNAVAILABLE', message, {
      cause: new Error('ESD_SECRETS_KEY is not the key that sealed this secret', { cause }),
    });
  }
}
