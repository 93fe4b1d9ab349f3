import type { Transaction } from 'kysely';
import { ServiceError } from '@esd/service/errors';
import { otherAdminExists } from './account.store.ts';
import type { IdentityTables } from '../tables.ts';

/** Throws CONFLICT for the last enabled ADMIN. The caller must take `lockAdmins` before the lock of the account. */
export async function refuseLastAdmin(
  transaction: Transaction<IdentityTables>,
  account: { id: string; role: string; enabled: boolean },
): Promise<void> {
  if (account.role !== 'ADMIN' || !account.enabled || (await otherAdminExists(transaction, account.id))) return;
  throw new ServiceError('CONFLICT', 'This is the last enabled ADMIN; give the role to another account first.');
}
