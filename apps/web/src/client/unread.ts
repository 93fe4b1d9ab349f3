import type { ResponseAt } from '@esd/api/operations';
import { bodyOf } from './call.ts';
import { requestInBackground } from './session.ts';
import { storeUnread } from './stored-unread.ts';

type Unread = ResponseAt<'get', '/data/unread'>;

let loading: Promise<Unread | undefined> | undefined;

/**
 * Reads what waits for the signed-in user, and stores the counts for the header of all tabs. Returns the body of the
 * response, or undefined if the user is signed out. Throws RequestError.
 */
export async function loadUnread(base: string): Promise<Unread | undefined> {
  const response = await requestInBackground(base, '/data/unread');
  const body = response && bodyOf<'get', '/data/unread'>(response);
  if (body !== undefined) {
    storeUnread({ messages: body.messages, answered: body.moderation?.answered ?? 0 });
  }
  return body;
}

/** Reads as `loadUnread` does, or shares the request that is in progress. */
export function shareUnread(base: string): Promise<Unread | undefined> {
  loading ??= loadUnread(base).finally(() => (loading = undefined));
  return loading;
}
