import { randomUUID } from 'node:crypto';

/** An id that names one request in the logs of all processes. */
export function newRequestId(): string {
  return randomUUID();
}
