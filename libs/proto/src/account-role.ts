import { Role } from './generated/esd/identity/v1/identity.ts';

export const accountRoles = ['USER', 'MODERATOR', 'ADMIN'] as const;

export type AccountRole = (typeof accountRoles)[number];

const TO_WIRE = {
  USER: Role.ROLE_USER,
  MODERATOR: Role.ROLE_MODERATOR,
  ADMIN: Role.ROLE_ADMIN,
} as const satisfies Record<AccountRole, Role>;

export function roleToWire(role: AccountRole): Role {
  return TO_WIRE[role];
}

/** Returns the role of an enum value; undefined for an unknown value. */
export function roleFromWire(wire: Role): AccountRole | undefined {
  return accountRoles.find((role) => TO_WIRE[role] === wire);
}
