import { randomUUID } from 'node:crypto';

/** Returns an id that identifies one request in the logs of all processes. */
export function newRequestId(): string {
  return randomUUID();
}
