import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { type AccountRole, accountRoles } from '@esd/proto/account-role';
import type { PublicKeySet } from '../config.ts';
import { ServiceError } from '../errors.ts';

/** Type and issuer, which distinguish an assertion from a session token. */
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

/** The account behind a call, as identity-svc authenticated it at the start of the request. */
export interface Caller {
  accountId: string;
  /** The effective role: USER for a personal access token or with `twoFactorMissing`, regardless of the account. */
  role: AccountRole;
  /** A session JWT or a personal access token. */
  credential: 'session' | 'pat';
  /** UUID of the session; absent for a personal access token. */
  sessionId?: string;
  /** The role of the account requires two-factor sign-in, which the account does not use. */
  twoFactorMissing?: true;
}

/** Verifies an assertion for a target (see `IncomingCall`). Throws TOKEN_INVALID. */
export type AssertionVerifier = (assertion: string, target: string) => Caller;

/** Creates a verifier: ES256 signature by a known key, type, issuer, target as audience, expiry. */
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
      throw new ServiceError('TOKEN_INVALID', 'The caller assertion is not valid.', { cause });
    }
  };
}
