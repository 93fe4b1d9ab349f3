import type { Caller } from '@esd/service/assertion';
import { requireRole } from '@esd/service/require-caller';

/** The caller of a call that only reviewers may make. Throws AUTH_REQUIRED, or FORBIDDEN for a USER. */
export function requireReviewer(context: { caller: Caller | undefined }): Caller {
  return requireRole(context, ['MODERATOR', 'ADMIN']);
}
