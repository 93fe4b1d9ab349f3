import { z } from 'zod';
import { Role } from '@esd/proto/esd/identity/v1/identity';

/** What an account may do. */
export const accountRole = z.enum(['USER', 'MODERATOR', 'ADMIN']).meta({ id: 'Role' });

export type AccountRole = z.output<typeof accountRole>;

const WIRE_ROLE = { USER: Role.ROLE_USER, MODERATOR: Role.ROLE_MODERATOR, ADMIN: Role.ROLE_ADMIN } as const;

/** A role as messages have it. */
export function toWireRole(role: AccountRole): Role {
  return WIRE_ROLE[role];
}

/** The role of a message; throws when it names none. */
export function fromWireRole(role: Role): AccountRole {
  switch (role) {
    case Role.ROLE_USER:
      return 'USER';
    case Role.ROLE_MODERATOR:
      return 'MODERATOR';
    case Role.ROLE_ADMIN:
      return 'ADMIN';
    case Role.ROLE_UNSPECIFIED:
      throw new Error('an account without a role');
  }
}
