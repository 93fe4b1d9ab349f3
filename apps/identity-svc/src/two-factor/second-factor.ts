import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import type { IdentityTables } from '../tables.ts';
import { otpStep } from './one-time-code.ts';
import { recoveryCodeHash } from './recovery-code.ts';
import type { SecretBox } from './secret-box.ts';
import { findTwoFactor, takeRecoveryCode, takeStep } from './two-factor.store.ts';

/**
 * What a second factor is worth at this moment: `none` where the account asks for none, `missing` where it does and nothing
 * was sent. What was `right` is used up with the transaction: a code of the authenticator is not taken twice, nor is one
 * before it; a recovery code works once. Throws UNAVAILABLE when codes cannot be checked, since this process has not the
 * key with which the secret was sealed.
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

/** Takes a code of the authenticator with this secret; false for a wrong one, and for one that was taken before. */
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
  const message = 'Codes of authenticators cannot be checked at the moment; a recovery code works.';
  if (!box) throw new ServiceError('UNAVAILABLE', message, new Error('ESD_SECRETS_KEY is not set'));
  try {
    return box.open(sealedSecret, accountId);
  } catch (cause) {
    throw new ServiceError('UNAVAILABLE', message, new Error('ESD_SECRETS_KEY is not the key of before', { cause }));
  }
}
