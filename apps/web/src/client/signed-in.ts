export type Role = 'USER' | 'MODERATOR' | 'ADMIN';

const KEY = 'esd-signed-in';

/** Told on `document` when somebody has signed in or out in this tab; other tabs get the event of the storage. */
export const SIGNED_IN_CHANGED = 'esd-signed-in';

/**
 * The role of who is signed in in this browser, as far as it knows without asking; undefined for nobody. It is for the links in the head of a page
 * and says whether it is worth to ask for a session: what the role may do is decided by the service.
 */
export function signedInRole(): Role | undefined {
  try {
    const role = localStorage.getItem(KEY);
    return isRole(role) ? role : undefined;
  } catch {
    // Storage is switched off.
    return undefined;
  }
}

/** Keeps the role for the next page, never a token. */
export function keepSignedIn(role: Role | undefined): void {
  try {
    if (role === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, role);
  } catch {
    // Storage is switched off: the next page begins signed out.
  }
  document.dispatchEvent(new Event(SIGNED_IN_CHANGED));
}

export function isRole(text: unknown): text is Role {
  return text === 'USER' || text === 'MODERATOR' || text === 'ADMIN';
}
