import type { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { ServiceError } from '@esd/service/errors';
import type { CallOptions, RpcClient } from '@esd/service/rpc-client';

/**
 * How a route looks at its caller. `ignored`: an Authorization header is not looked at. `optional`: nobody has to say
 * who they are, but what is presented is checked. `required`: nothing happens without a valid bearer.
 */
export type CallerMode = 'ignored' | 'optional' | 'required';

/** Resolves the Authorization header of a request to the caller's assertion. */
export type BearerResolver = (
  mode: CallerMode,
  authorization: string | undefined,
  call: CallOptions,
) => Promise<string | undefined>;

// RFC 6750 §2.1.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Makes the resolver of bearers. identity-svc is asked each time, so that a revocation acts on the very next request.
 * It throws AUTH_REQUIRED when nothing is presented where it is needed, TOKEN_INVALID for another scheme, and what
 * identity-svc says of the token.
 */
export function bearerResolver(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'resolveBearer'>,
): BearerResolver {
  return async (mode, authorization, call) => {
    if (mode === 'ignored') return undefined;
    if (authorization === undefined) {
      if (mode === 'optional') return undefined;
      throw new ServiceError(
        'AUTH_REQUIRED',
        'This needs a credential: Authorization: Bearer <session or access token>.',
      );
    }
    const bearer = BEARER.exec(authorization)?.[1];
    if (bearer === undefined) {
      throw new ServiceError('TOKEN_INVALID', 'The Authorization header must read: Bearer <session or access token>.');
    }
    return (await identity.resolveBearer({ bearer }, call)).assertion;
  };
}
