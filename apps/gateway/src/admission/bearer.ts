import type { CallerMode, MinimumRole } from '@esd/api/operation';
import { Credential, type IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { Target } from '@esd/proto/peers';
import { requireRole, requireSession } from '@esd/service/auth/require-caller';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { fromWireRole } from '../schemas/account-role.ts';

interface RouteAccess {
  caller: CallerMode;
  role: MinimumRole | undefined;
  targets: readonly Target[];
}

export type Resolved = Pick<CallOptions, 'assertions'> & { caller?: Caller };

/** Resolves the Authorization header to the caller. The result is empty if there is no credential or it is ignored. */
export type BearerResolver = (
  route: RouteAccess,
  authorization: string | undefined,
  call: CallOptions,
) => Promise<Resolved>;

// RFC 6750 §2.1.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Creates the resolver of bearers. It calls identity-svc for each credential, so that a revocation takes effect immediately.
 * Throws AUTH_REQUIRED if a required credential is missing, TOKEN_INVALID for another scheme, and the errors of
 * identity-svc. Throws FORBIDDEN, SESSION_REQUIRED or TWO_FACTOR_REQUIRED if the caller may not use the route.
 */
export function bearerResolver(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'resolveBearer'>,
): BearerResolver {
  return async ({ caller: mode, role, targets }, authorization, call) => {
    if (mode === 'ignored') return {};
    if (authorization === undefined) {
      if (mode === 'optional') return {};
      throw new ServiceError(
        'AUTH_REQUIRED',
        'Authentication is required; send `Authorization: Bearer <session or personal access token>`.',
      );
    }
    const bearer = BEARER.exec(authorization)?.[1];
    if (bearer === undefined) {
      throw new ServiceError(
        'TOKEN_INVALID',
        'The Authorization header must have the form `Bearer <session or personal access token>`.',
      );
    }
    const answer = await identity.resolveBearer({ bearer, targets: [...targets] }, call);
    const caller: Caller = {
      accountId: answer.accountId,
      role: fromWireRole(answer.role),
      credential: answer.credential === Credential.CREDENTIAL_SESSION ? 'session' : 'pat',
      ...(answer.twoFactorMissing ? { twoFactorMissing: true } : {}),
    };
    if (role) requireRole({ caller }, role);
    if (mode === 'session') requireSession({ caller });
    return { caller, assertions: new Map(answer.assertions.map(({ target, assertion }) => [target, assertion])) };
  };
}
