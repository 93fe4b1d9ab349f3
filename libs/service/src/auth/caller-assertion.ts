import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { type AccountRole, accountRoles } from '@esd/proto/account-role';
import type { PublicKeySet } from '../config.ts';
import { ServiceError } from '../errors.ts';

/** The fixed names that distinguish an assertion from a session token. */
export const ASSERTION = {
  type: 'esd-assertion+jwt',
  issuer: 'esd-identity',
} as const;

const claims = z.object({
  sub: z.uuid(),
  role: z.enum(accountRoles),
  credential: z.enum(['session', 'pat']),
  sid: z.uuid().optional(),
  twoFactorMissing: z.literal(true).optional(),
});

/** Who calls, as identity-svc saw it when the request came in. */
export interface Caller {
  /** Opaque account id, UUID. */
  accountId: string;
  /** What the credential may do: USER for a personal access token, and where `twoFactorMissing`, whatever the account is. */
  role: AccountRole;
  /** What the caller presented: a session JWT or a personal access token. */
  credential: 'session' | 'pat';
  /** The session presented, UUID; there is none behind a personal access token. */
  sessionId?: string;
  /** The account has a role whose work needs two-factor sign-in here, and does not use it. */
  twoFactorMissing?: true;
}

/** Checks an assertion that is presented to a target (see `ArrivingCall`). */
export type AssertionVerifier = (assertion: string, target: string) => Caller;

/**
 * Makes the check of an assertion: ES256 by a known key, right type and issuer, made for the target, not expired.
 * The check throws ServiceError TOKEN_INVALID.
 */
export function assertionVerifier(keySet: PublicKeySet): AssertionVerifier {
  const keys = new Map<string, KeyObject>(
    keySet.keys.map((key) => [key.kid, createPublicKey({ key: { ...key }, format: 'jwk' })]),
  );
  return (assertion, target) => {
    try {
      const header = jwt.decode(assertion, { complete: true })?.header;
      const key = header?.typ === ASSERTION.type && header.kid !== undefined ? keys.get(header.kid) : undefined;
      if (!key) throw new Error('no such key, or not an assertion');
      const payload = claims.parse(
        jwt.verify(assertion, key, {
          algorithms: ['ES256'],
          issuer: ASSERTION.issuer,
          audience: target,
        }),
      );
      const { sub: accountId, role, credential, sid, twoFactorMissing } = payload;
      return {
        accountId,
        role,
        credential,
        ...(sid === undefined ? {} : { sessionId: sid }),
        ...(twoFactorMissing ? { twoFactorMissing } : {}),
      };
    } catch (cause) {
      throw new ServiceError('TOKEN_INVALID', 'The assertion of the caller is not valid.', cause);
    }
  };
}
