import type { MinimumRole } from '@esd/api/operation';
import type { Caller } from './caller-assertion.ts';
import { ServiceError } from '../errors.ts';

export function requireCaller({ caller }: { caller: Caller | undefined }): Caller {
  if (!caller)
    throw new ServiceError(
      'AUTH_REQUIRED',
      'This request requires an account; send the header `Authorization: Bearer <token>`.',
    );
  return caller;
}

/** Returns the caller of a session. Throws AUTH_REQUIRED; SESSION_REQUIRED for a personal access token. */
export function requireSession(context: { caller: Caller | undefined }): Caller {
  const caller = requireCaller(context);
  if (caller.credential === 'session') return caller;
  throw new ServiceError(
    'SESSION_REQUIRED',
    'A personal access token cannot make this request; sign in and send the token of the session.',
  );
}

/** The roles that have the permissions of a role. */
const ROLES_WITH: Readonly<Record<MinimumRole, readonly Caller['role'][]>> = {
  MODERATOR: ['MODERATOR', 'ADMIN'],
  ADMIN: ['ADMIN'],
};

/**
 * Returns the caller of a session with at least the role `minimum`. Throws AUTH_REQUIRED, SESSION_REQUIRED for a personal
 * access token, TWO_FACTOR_REQUIRED, or FORBIDDEN.
 */
export function requireRole(context: { caller: Caller | undefined }, minimum: MinimumRole): Caller {
  const caller = requireSession(context);
  if (caller.twoFactorMissing) {
    throw new ServiceError(
      'TWO_FACTOR_REQUIRED',
      `The role ${caller.role} requires two-factor sign-in here; turn it on with POST /auth/two-factor.`,
    );
  }
  const roles = ROLES_WITH[minimum];
  if (roles.includes(caller.role)) return caller;
  throw new ServiceError(
    'FORBIDDEN',
    `This request requires the role ${roles.join(' or ')}; your account has the role ${caller.role}.`,
  );
}
