import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { nameInput, newPasswordInput, parseInput } from '../account/account-input.ts';
import { adminExists, insertAccount, lockAdmins } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { emailInput, normalizeEmail } from '../account/email-address.ts';
import type { Passwords } from '../account/password.ts';

export interface FirstAdminRequest {
  email: string;
  password: string;
  name: string;
  bootstrapToken?: string | undefined;
}

const input = z.object({ email: emailInput, password: newPasswordInput, name: nameInput });

/**
 * Creates the first ADMIN. Only one of several concurrent calls succeeds. Throws ADMIN_EXISTS, FORBIDDEN without the
 * configured bootstrap token, INVALID_REQUEST, and CONFLICT if another account has the email address.
 */
export async function createFirstAdmin(
  database: Kysely<IdentityTables>,
  passwords: Passwords,
  bootstrapToken: string | undefined,
  request: FirstAdminRequest,
  context: AuditOrigin & { signal: AbortSignal },
): Promise<AccountRow> {
  if (await adminExists(database)) throw existsAlready();
  if (bootstrapToken !== undefined && !sameSecret(bootstrapToken, request.bootstrapToken)) {
    throw new ServiceError('FORBIDDEN', 'The first ADMIN can only be created with the bootstrap token.');
  }
  const { email, password, name } = parseInput(input, request);
  const passwordHash = await passwords.hash(password, context.signal);
  return await database.transaction().execute(async (transaction) => {
    await lockAdmins(transaction);
    if (await adminExists(transaction)) throw existsAlready();
    const account = await insertAccount(transaction, {
      id: randomUUID(),
      email,
      email_normalized: normalizeEmail(email),
      password_hash: passwordHash,
      role: 'ADMIN',
      email_verified: true,
      name,
      orcid: null,
    });
    if (!account) {
      throw new ServiceError('CONFLICT', `Another account uses ${JSON.stringify(email)}; choose another address.`);
    }
    await writeAudit(transaction, { action: 'first-admin-created', actor: null, subject: account.id }, context);
    return account;
  });
}

function existsAlready(): ServiceError {
  return new ServiceError('ADMIN_EXISTS', 'An ADMIN already exists; ask an ADMIN for the role.');
}

function sameSecret(expected: string, presented: string | undefined): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return presented !== undefined && timingSafeEqual(digest(expected), digest(presented));
}
