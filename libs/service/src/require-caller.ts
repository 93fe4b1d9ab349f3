import type { Caller } from './assertion.ts';
import { ServiceError } from './errors.ts';

/** The caller of a call that needs one. Throws AUTH_REQUIRED. */
export function requireCaller({ caller }: { caller: Caller | undefined }): Caller {
  if (!caller) throw new ServiceError('AUTH_REQUIRED', 'This needs an account: send Authorization: Bearer <token>.');
  return caller;
}
