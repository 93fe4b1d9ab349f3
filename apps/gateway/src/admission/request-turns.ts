import type { IncomingMessage } from 'node:http';
import { parseEntityTags } from '@esd/service/http/entity-tag';
import { Overloaded } from '@esd/service/rpc/call-limit';
import { FEW_WAITING, WaitingQueue } from '@esd/service/rpc/waiting-queue';
import { taggedState } from '../http/state-tag.ts';
import type { RouteMatch } from './route-table.ts';

/**
 * Node accepts one connection in a turn of the event loop. Requests start in fewer turns, so that an excess of them waits
 * in the queue, and not in the kernel. In an overload, most turns only accept and refuse.
 */
const TURNS_PER_REQUEST = { few: 2, many: 8 };

/**
 * Creates the step in which a request waits for its turn, in order of arrival. If requests filled the turns of the event
 * loop, new connections would wait in the kernel, where no limit sees them, and with them those to /health. Throws
 * Overloaded if too many requests wait, or in an overload; see `WaitingQueue`.
 */
export function requestTurns(
  targetMs: number,
): (request: IncomingMessage, match: RouteMatch | undefined) => Promise<void> | undefined {
  const queue = new WaitingQueue(targetMs);
  /** The turns since a request started; undefined while none waits. */
  let turns: number | undefined;
  const onTurn = (): void => {
    turns = (turns ?? 0) + 1;
    if (turns >= (queue.size > FEW_WAITING ? TURNS_PER_REQUEST.many : TURNS_PER_REQUEST.few)) {
      turns = queue.startNext() ? 0 : undefined;
    }
    if (turns !== undefined) setImmediate(onTurn);
  };
  return (request, match) => {
    if (isUrgent(request, match)) return undefined;
    if (queue.isFull) throw new Overloaded();
    if (turns !== undefined) {
      return new Promise((start, reject) => queue.add({ start, refuse: () => reject(new Overloaded()) }));
    }
    turns = 0;
    setImmediate(onTurn);
    return undefined;
  };
}

/** Returns whether a request starts before others that wait: writes, routes with a role, health, and revalidations. */
function isUrgent({ method, headers }: IncomingMessage, match: RouteMatch | undefined): boolean {
  // Writes have their own limits, see `bodyBudget`.
  if (method !== 'GET' && method !== 'HEAD') return true;
  if (match?.routes.some(({ role, limit }) => role !== undefined || limit === 'none')) return true;
  return taggedState(parseEntityTags(headers['if-none-match'])) !== undefined;
}
