import { z } from 'zod';
import type { Role } from '@esd/proto/esd/identity/v1/identity';
import { type AccountRole, accountRoles, roleFromWire } from '@esd/proto/account-role';

/** A role in requests and answers. */
export const accountRole = z.enum(accountRoles).meta({ id: 'Role' });

/** The role of a message; throws when it names none. */
export function fromWireRole(role: Role): AccountRole {
  const found = roleFromWire(role);
  if (found === undefined) throw new Error('an account without a role');
  return found;
}
