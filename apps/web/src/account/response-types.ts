import type { ResponseAt } from '@esd/api/operations';
import { requestSignedIn } from '../client/session.ts';
import type { Send } from '../client/call.ts';

export type OwnRecord = ResponseAt<'get', '/data/submission/{submissionId}'>['experimentData'][number];
export type UnreadThread = ResponseAt<'get', '/data/unread'>['records'][number];

/** Returns the function that sends requests of the signed-in user. */
export function sendAsUser(base: string): Send {
  return (path, options) => requestSignedIn(`${base}${path}`, options);
}
