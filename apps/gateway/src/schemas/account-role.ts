import { z } from 'zod';
import type { Role } from '@esd/proto/esd/identity/v1/identity';
import { type AccountRole, accountRoles, roleFromWire } from '@esd/proto/account-role';

export const accountRole = z.enum(accountRoles).meta({ id: 'Role' });

/** Converts the role of a message. Throws if it is unspecified. */
export function fromWireRole(role: Role): AccountRole {
  const found = roleFromWire(role);
  if (found === undefined) throw new Error('the account has no role');
  return found;
}
