import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { ServiceError } from '@esd/service/errors';
import type { SigningKeys } from './signing-keys.ts';

/** The header type and claims that distinguish a session token from an assertion. */
const SESSION_TOKEN = { type: 'JWT', issuer: 'esd-identity', audience: 'esd-api' } as const;

/** The maximum clock difference between two replicas. */
const CLOCK_SKEW_SECONDS = 5;
const MAX_TOKEN_LENGTH = 4_096;

const claims = z.object({ sub: z.uuid(), sid: z.uuid(), iat: z.int(), exp: z.int() });

export interface SessionClaims {
  accountId: string;
  sessionId: string;
}

export interface SessionTokens {
  lifetimeMs: number;
  /** Returns a compact ES256 JWT. */
  sign(claims: SessionClaims): string;
  /**
   * Verifies a token, but not the state of its session. Throws TOKEN_EXPIRED for a token that is valid except for its
   * age, otherwise TOKEN_INVALID.
   */
  verify(token: string): SessionClaims;
}

export function sessionTokens(keys: SigningKeys, lifetimeMinutes: number): SessionTokens {
  return {
    lifetimeMs: lifetimeMinutes * 60_000,
    sign: ({ accountId, sessionId }) =>
      jwt.sign({ sid: sessionId }, keys.privateKey, {
        algorithm: 'ES256',
        keyid: keys.kid,
        header: { alg: 'ES256', typ: SESSION_TOKEN.type },
        issuer: SESSION_TOKEN.issuer,
        audience: SESSION_TOKEN.audience,
        subject: accountId,
        expiresIn: lifetimeMinutes * 60,
      }),
    verify: (token) => {
      const { sub, sid, exp } = verifiedClaims(token, keys.publicKeys);
      if (exp * 1000 <= Date.now()) {
        throw new ServiceError(
          'TOKEN_EXPIRED',
          'The session token has expired; renew it with the refresh token, or sign in again.',
        );
      }
      return { accountId: sub, sessionId: sid };
    },
  };
}

function verifiedClaims(token: string, publicKeys: ReadonlyMap<string, KeyObject>): z.output<typeof claims> {
  try {
    if (token.length > MAX_TOKEN_LENGTH) throw new Error('the token is too long');
    const header = jwt.decode(token, { complete: true })?.header;
    const key = header?.typ === SESSION_TOKEN.type && header.kid !== undefined ? publicKeys.get(header.kid) : undefined;
    if (!key) throw new Error('unknown key, or not a session token');
    const payload = claims.parse(
      jwt.verify(token, key, {
        algorithms: ['ES256'],
        issuer: SESSION_TOKEN.issuer,
        audience: SESSION_TOKEN.audience,
        // The caller checks the expiry, so that only an otherwise valid token is reported as expired.
        ignoreExpiration: true,
      }),
    );
    if (payload.iat > Date.now() / 1000 + CLOCK_SKEW_SECONDS) throw new Error('issued in the future');
    return payload;
  } catch (cause) {
    throw new ServiceError('TOKEN_INVALID', 'The token is not valid; sign in to get one.', { cause });
  }
}
