import { storeUnread } from './stored-unread.ts';

export type Role = 'USER' | 'MODERATOR' | 'ADMIN';

const KEY = 'esd-signed-in';

/** The event that is dispatched on `document` after signing in or out in this tab. Other tabs receive the storage event. */
export const SIGNED_IN_CHANGED = 'esd-signed-in';

/**
 * Returns the stored role of the signed-in user; undefined if signed out. It decides which links a page shows and whether the page
 * requests a session; only the service authorizes.
 */
export function signedInRole(): Role | undefined {
  try {
    const role = localStorage.getItem(KEY);
    return isRole(role) ? role : undefined;
  } catch {
    // Storage is disabled.
    return undefined;
  }
}

/** Stores the role for the next page. Never stores a token. */
export function storeSignedInRole(role: Role | undefined): void {
  try {
    if (role === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, role);
  } catch {
    // Storage is disabled: the next page starts signed out.
  }
  if (role === undefined) storeUnread(undefined);
  document.dispatchEvent(new Event(SIGNED_IN_CHANGED));
}

export function isRole(text: unknown): text is Role {
  return text === 'USER' || text === 'MODERATOR' || text === 'ADMIN';
}
