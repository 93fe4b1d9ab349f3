import { type Account, Role } from '@esd/proto/esd/identity/v1/identity';
import type { AccountRole, AccountRow } from '../account/account.table.ts';

const PROTO_ROLE = { USER: Role.ROLE_USER, MODERATOR: Role.ROLE_MODERATOR, ADMIN: Role.ROLE_ADMIN } as const;

/** A role as messages have it. */
export function toRole(role: AccountRole): Role {
  return PROTO_ROLE[role];
}

/** The role of a message; undefined when it names none. */
export function fromRole(role: Role): AccountRole | undefined {
  switch (role) {
    case Role.ROLE_USER:
      return 'USER';
    case Role.ROLE_MODERATOR:
      return 'MODERATOR';
    case Role.ROLE_ADMIN:
      return 'ADMIN';
    case Role.ROLE_UNSPECIFIED:
      return undefined;
  }
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    role: toRole(row.role),
    enabled: row.enabled,
    emailVerified: row.email_verified,
    createdAt: row.created_at,
    name: row.name,
    ...(row.orcid === null ? {} : { orcid: row.orcid }),
  };
}
