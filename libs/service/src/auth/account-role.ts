import { Role } from '@esd/proto/esd/identity/v1/identity';

/** What an account may do. */
export const accountRoles = ['USER', 'MODERATOR', 'ADMIN'] as const;

export type AccountRole = (typeof accountRoles)[number];

const TO_WIRE = {
  USER: Role.ROLE_USER,
  MODERATOR: Role.ROLE_MODERATOR,
  ADMIN: Role.ROLE_ADMIN,
} as const satisfies Record<AccountRole, Role>;

/** A role as messages have it. */
export function roleToWire(role: AccountRole): Role {
  return TO_WIRE[role];
}

/** The role of a message; undefined where it names none. */
export function roleFromWire(wire: Role): AccountRole | undefined {
  return accountRoles.find((role) => TO_WIRE[role] === wire);
}
