import { Credential, type IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import type { Target } from '@esd/proto/peers';
import { requireRole, requireSession } from '@esd/service/auth/require-caller';
import type { CallOptions, RpcClient } from '@esd/service/rpc/rpc-client';
import { fromWireRole } from '../schemas/account-role.ts';

/**
 * How a route looks at its caller. `ignored`: an Authorization header is ignored. `optional`: no credential is required,
 * but one that is sent is checked. `required`: nothing happens without a valid bearer. `session`: nor with
 * a personal access token.
 */
export type CallerMode = 'ignored' | 'optional' | 'required' | 'session';

/** The least role that a route asks for. */
export type MinimumRole = 'MODERATOR' | 'ADMIN';

/** What a route asks of its caller. */
interface Asked {
  caller: CallerMode;
  role: MinimumRole | undefined;
  targets: readonly Target[];
}

/** Who calls, and the assertions that say so to the services. */
export type Resolved = Pick<CallOptions, 'assertions'> & { caller?: Caller };

/** Resolves the Authorization header of a request to its caller; empty where nobody is asked for or said. */
export type BearerResolver = (route: Asked, authorization: string | undefined, call: CallOptions) => Promise<Resolved>;

// RFC 6750 §2.1.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const ROLES = { MODERATOR: ['MODERATOR', 'ADMIN'], ADMIN: ['ADMIN'] } as const;

/**
 * Makes the resolver of bearers. identity-svc is asked each time, so that a revocation acts on the very next request.
 * It throws AUTH_REQUIRED when nothing is presented where it is needed, TOKEN_INVALID for another scheme, what
 * identity-svc says of the token, and FORBIDDEN, SESSION_REQUIRED or TWO_FACTOR_REQUIRED for a caller who may not use the route.
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
    if (role) requireRole({ caller }, ROLES[role]);
    if (mode === 'session') requireSession({ caller });
    return { caller, assertions: new Map(answer.assertions.map(({ target, assertion }) => [target, assertion])) };
  };
}
