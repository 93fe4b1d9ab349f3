import jwt from 'jsonwebtoken';
import { ASSERTION, type Caller } from '@esd/service/auth/caller-assertion';
import type { SigningKeys } from './signing-keys.ts';

const LIFETIME_SECONDS = 60;

/** Signs a caller assertion for one target: a compact ES256 JWT, valid for 60 seconds. */
export type AssertionSigner = (caller: Caller, target: string) => string;

export function assertionSigner(keys: SigningKeys): AssertionSigner {
  return ({ accountId, sessionId, ...rights }, target) =>
    jwt.sign({ ...rights, ...(sessionId === undefined ? {} : { sid: sessionId }) }, keys.privateKey, {
      algorithm: 'ES256',
      keyid: keys.kid,
      header: { alg: 'ES256', typ: ASSERTION.type },
      issuer: ASSERTION.issuer,
      audience: target,
      subject: accountId,
      expiresIn: LIFETIME_SECONDS,
    });
}
