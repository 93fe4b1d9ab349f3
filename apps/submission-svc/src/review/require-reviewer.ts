import type { Caller } from '@esd/service/auth/caller-assertion';
import { requireRole } from '@esd/service/auth/require-caller';

/** Returns the caller. Throws the errors of `requireRole`: FORBIDDEN for a USER. */
export function requireReviewer(context: { caller: Caller | undefined }): Caller {
  return requireRole(context, ['MODERATOR', 'ADMIN']);
}
