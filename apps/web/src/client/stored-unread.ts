import { storedText, storeText } from './stored-text.ts';

const KEY = 'esd-unread';

/** The event that is dispatched on `document` when this tab stores other counts. Other tabs receive the storage event. */
export const UNREAD_CHANGED = 'esd-unread';

/** The counts of the header: what waits for the signed-in user. All tabs share them. */
export interface UnreadCounts {
  /** Number of messages from moderators about the user's records. */
  readonly messages: number;
  /** Number of records whose owner answered a moderator; 0 for users who are not moderators. */
  readonly answered: number;
}

/** Returns the stored counts, and their time in milliseconds since 1970; 0 without stored counts. */
export function storedUnread(): UnreadCounts & { readonly at: number } {
  const [messages = 0, answered = 0, at = 0] = (storedText(KEY) ?? '').split(' ').map((text) => Number(text) || 0);
  return { messages, answered, at };
}

/** Stores the counts of this moment; undefined after signing out. */
export function storeUnread(counts: UnreadCounts | undefined): void {
  const before = storedUnread();
  storeText(KEY, counts && `${counts.messages} ${counts.answered} ${Date.now()}`);
  // Signing out has its own event, and a signed-out page must not load anything.
  if (counts && (counts.messages !== before.messages || counts.answered !== before.answered)) {
    document.dispatchEvent(new Event(UNREAD_CHANGED));
  }
}
