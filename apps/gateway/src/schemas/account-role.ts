import type { Role } from '@esd/proto/esd/identity/v1/identity';
import { type AccountRole, roleFromWire } from '@esd/proto/account-role';

/** Converts the role of a message. Throws if it is unspecified. */
export function fromWireRole(role: Role): AccountRole {
  const found = roleFromWire(role);
  if (found === undefined) throw new Error('the account has no role');
  return found;
}
