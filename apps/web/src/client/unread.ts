import { requestInBackground } from './session.ts';
import { storeUnread } from './stored-unread.ts';

let loading: Promise<unknown> | undefined;

/**
 * Reads what waits for the signed-in user, and stores the counts for the header of all tabs. Returns the body of the
 * response, or undefined if the user is signed out. Throws RequestError.
 */
export async function loadUnread(base: string): Promise<unknown> {
  const body = (await requestInBackground(base, '/data/unread'))?.body;
  if (body !== undefined) {
    storeUnread({ messages: numberAt(body, 'messages'), answered: numberAt(memberOf(body, 'moderation'), 'answered') });
  }
  return body;
}

/** Reads as `loadUnread` does, or shares the request that is in progress. */
export function shareUnread(base: string): Promise<unknown> {
  loading ??= loadUnread(base).finally(() => (loading = undefined));
  return loading;
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? Object.entries(body).find(([key]) => key === name)?.[1]
    : undefined;
}

function numberAt(body: unknown, name: string): number {
  const value = memberOf(body, name);
  return typeof value === 'number' ? value : 0;
}
