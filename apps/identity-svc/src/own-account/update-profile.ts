import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { nameInput, orcidInput, parseInput } from '../account/account-input.ts';
import { updateAccount } from '../account/account.store.ts';
import type { AccountRow } from '../account/account.table.ts';
import { getOwnAccount } from '../account/get-own-account.ts';

const input = z.object({ name: nameInput.optional(), orcid: orcidInput.optional() });

/**
 * Updates the fields that are present in the request. An empty text removes the ORCID iD. Throws INVALID_REQUEST and
 * the errors of `getOwnAccount`.
 */
export async function updateProfile(
  database: Kysely<IdentityTables>,
  request: { name?: string | undefined; orcid?: string | undefined },
  origin: AuditOrigin & { caller: Caller | undefined },
): Promise<AccountRow> {
  const account = await getOwnAccount(database, origin.caller);
  const { name = account.name, orcid = account.orcid } = parseInput(input, request);
  return await database.transaction().execute(async (transaction) => {
    const updated = await updateAccount(transaction, account.id, { name, orcid });
    // The account was deleted, so `getOwnAccount` throws.
    if (!updated) return await getOwnAccount(transaction, origin.caller);
    await writeAudit(transaction, { action: 'profile-updated', actor: account.id, subject: account.id }, origin);
    return updated;
  });
}
