import type { Account } from '@esd/proto/esd/identity/v1/identity';
import { roleToWire } from '@esd/proto/account-role';
import type { AccountRow } from '../account/account.table.ts';

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    role: roleToWire(row.role),
    enabled: row.enabled,
    emailVerified: row.email_verified,
    createdAt: row.created_at,
    name: row.name,
    ...(row.orcid === null ? {} : { orcid: row.orcid }),
  };
}
