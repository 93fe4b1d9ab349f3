import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { voidMailTokens } from '../mail/mail-token.store.ts';
import { deleteWaitingVerifications, queueMail } from '../mail/mail.store.ts';
import type { IdentityTables } from '../tables.ts';
import { nameInput, newPasswordInput, orcidInput, parseInput } from '../account/account-input.ts';
import { insertAccount, lockAccountByEmail, updateAccount } from '../account/account.store.ts';
import { emailInput, normalizeEmail } from '../account/email-address.ts';
import type { Passwords } from '../account/password.ts';

export interface Registration {
  email: string;
  password: string;
  name: string;
  orcid?: string | undefined;
}

const input = z.object({
  email: emailInput,
  password: newPasswordInput,
  name: nameInput,
  orcid: orcidInput.default(null),
});

/**
 * Registers an account and returns the parsed address. Does the same work if the address has an account, and then mails
 * its owner. A second registration of an unverified address voids all earlier passwords and links. The reader of the
 * mail then chooses the password, so that no one verifies an account whose password another person knows. Throws
 * INVALID_REQUEST and UNAVAILABLE.
 */
export async function register(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  request: Registration,
  origin: AuditOrigin & { signal: AbortSignal },
): Promise<string> {
  const { email, password, name, orcid } = parseInput(input, request);
  const passwordHash = await passwords.hash(password, origin.signal);
  await database.transaction().execute(async (transaction) => {
    const id = randomUUID();
    const inserted = await insertAccount(transaction, {
      id,
      email,
      email_normalized: normalizeEmail(email),
      password_hash: passwordHash,
      role: 'USER',
      email_verified: false,
      name,
      orcid,
    });
    if (inserted) {
      await queueMail(transaction, 'verify-email', { accountId: id });
      await writeAudit(transaction, { action: 'registered', actor: null, subject: id }, origin);
      return;
    }
    const known = await lockAccountByEmail(transaction, normalizeEmail(email));
    // The account was deleted after the insert.
    if (!known) throw new ServiceError('UNAVAILABLE', 'The account of this address is being deleted; try again.');
    if (!known.enabled) return;
    const action = known.email_verified ? 'registration-of-known-address' : 'registered-again';
    await writeAudit(transaction, { action, actor: null, subject: known.id }, origin);
    if (known.email_verified) {
      await queueMail(transaction, 'account-exists', { accountId: known.id });
      return;
    }
    await updateAccount(transaction, known.id, {
      password_hash: passwordHash,
      name,
      orcid: null,
      registered_again: true,
    });
    // In this order: the deletion waits for a mail that is being prepared, so that the token of this mail is voided
    // too.
    await deleteWaitingVerifications(transaction, known.id);
    await voidMailTokens(transaction, known.id, ['verify-email']);
    await queueMail(transaction, 'choose-password', { accountId: known.id });
  });
  return email;
}
