import type { Kysely } from 'kysely';
import type { AccountRole } from '@esd/proto/account-role';
import type { AccountRow } from '../account/account.table.ts';
import type { IdentityTables } from '../tables.ts';

export interface AccountsQuery {
  /** A part of the email address or the name; case is ignored. */
  search?: string | undefined;
  role?: AccountRole | undefined;
  enabled?: boolean | undefined;
  skip: number;
  limit: number;
}

/** Lists the matching accounts, oldest first. */
export async function listAccounts(
  database: Kysely<IdentityTables>,
  { search, role, enabled, skip, limit }: AccountsQuery,
): Promise<{ accounts: AccountRow[]; total: number }> {
  let matching = database.selectFrom('account');
  if (search !== undefined) {
    const pattern = `%${search.normalize('NFC').replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    matching = matching.where((account) =>
      account.or([account('email', 'ilike', pattern), account('name', 'ilike', pattern)]),
    );
  }
  if (role !== undefined) matching = matching.where('role', '=', role);
  if (enabled !== undefined) matching = matching.where('enabled', '=', enabled);
  const { total } = await matching
    .select((account) => account.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const accounts = await matching.selectAll().orderBy('created_at').orderBy('id').offset(skip).limit(limit).execute();
  return { accounts, total };
}
