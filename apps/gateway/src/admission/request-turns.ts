import type { IncomingMessage } from 'node:http';
import { parseEntityTags } from '@esd/service/http/entity-tag';
import { Overloaded } from '@esd/service/rpc/call-limit';
import { WaitingQueue } from '@esd/service/rpc/waiting-queue';
import { taggedState } from '../http/state-tag.ts';
import type { RouteMatch } from './route-table.ts';

/** Node accepts one connection in a turn of the event loop. In these turns, one request starts. */
const TURNS_PER_REQUEST = 4;

/**
 * Creates the step in which a request waits for its turn. While others wait, one request starts in every fourth turn of the
 * event loop, in order of arrival. If requests filled the turns, new connections would wait in the kernel, where no limit
 * sees them, and with them those to /health. Throws Overloaded if 256 requests wait, or in an overload; see `WaitingQueue`.
 */
export function requestTurns(
  targetMs: number,
): (request: IncomingMessage, match: RouteMatch | undefined) => Promise<void> | undefined {
  const queue = new WaitingQueue(targetMs);
  let turns = 0;
  const takeTurn = (): void => {
    turns += 1;
    if (turns % TURNS_PER_REQUEST === 0 && !queue.startNext()) turns = 0;
    else setImmediate(takeTurn);
  };
  return (request, match) => {
    if (isUrgent(request, match)) return undefined;
    if (queue.isFull) throw new Overloaded();
    if (turns > 0) return new Promise((start, reject) => queue.add({ start, refuse: () => reject(new Overloaded()) }));
    turns = 1;
    setImmediate(takeTurn);
    return undefined;
  };
}

/** Returns whether a request starts before others that wait: those with a body or reserved slots, health, and revalidations. */
function isUrgent({ method, headers }: IncomingMessage, match: RouteMatch | undefined): boolean {
  // Requests with a body have their own limits, see `bodyBudget`.
  if (method !== 'GET' && method !== 'HEAD') return true;
  if (match?.routes.some(({ role, limit }) => role !== undefined || limit === 'none')) return true;
  return taggedState(parseEntityTags(headers['if-none-match'])) !== undefined;
}
