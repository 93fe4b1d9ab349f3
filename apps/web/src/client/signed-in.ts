import { storeUnread } from './stored-unread.ts';
import { storedText, storeText } from './stored-text.ts';

const ROLES = ['USER', 'MODERATOR', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

const KEY = 'esd-signed-in';

/** The event that is dispatched on `document` after signing in or out in this tab. Other tabs receive the storage event. */
export const SIGNED_IN_CHANGED = 'esd-signed-in';

/**
 * Returns the stored role of the signed-in user; undefined if signed out. It decides which links a page shows and whether the page
 * requests a session; only the service authorizes.
 */
export function signedInRole(): Role | undefined {
  const stored = storedText(KEY);
  return ROLES.find((role) => role === stored);
}

/** Stores the role for the next page. Never stores a token. */
export function storeSignedInRole(role: Role | undefined): void {
  storeText(KEY, role);
  if (role === undefined) storeUnread(undefined);
  document.dispatchEvent(new Event(SIGNED_IN_CHANGED));
}
