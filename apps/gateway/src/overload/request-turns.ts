export interface WaitingRequest {
  start(): void;
  refuse(): void;
  isClosed(): boolean;
}

export interface RequestTurns {
  /** Call it for each new connection. */
  accepted(): void;
  /** Whether a request would start immediately. */
  isIdle(): boolean;
  /** Starts a request now or in its turn. Refuses it if 256 requests wait, or after `waitMs`. */
  add(request: WaitingRequest): void;
}

const MAX_WAITING = 256;
// Accepting and refusing takes a sixth of the time of a page of results, so pages need few of the turns.
const ACCEPTING_TURNS = 5;

/**
 * Puts new connections before new work. Node accepts one connection in each turn of the event loop. If requests filled every
 * turn, further connections would wait in the kernel, where no limit sees them, and with them those to /health.
 */
export function requestTurns(waitMs: number): RequestTurns {
  const waiting = new Set<WaitingRequest & { since: number }>();
  let isScheduled = false;
  let hasAccepted = false;
  let skipped = 0;
  const startNext = (): void => {
    for (const request of waiting) {
      waiting.delete(request);
      if (request.isClosed()) continue;
      if (performance.now() - request.since <= waitMs) {
        request.start();
        return;
      }
      request.refuse();
    }
  };
  const turn = (): void => {
    const isAccepting = hasAccepted && skipped < ACCEPTING_TURNS;
    hasAccepted = false;
    skipped = isAccepting ? skipped + 1 : 0;
    if (!isAccepting) startNext();
    isScheduled = isAccepting || waiting.size > 0;
    if (isScheduled) setImmediate(turn);
  };
  return {
    accepted: () => {
      hasAccepted = true;
      if (!isScheduled) setImmediate(turn);
      isScheduled = true;
    },
    isIdle: () => !isScheduled,
    add: (request) => {
      if (!isScheduled) request.start();
      else if (waiting.size >= MAX_WAITING) request.refuse();
      else waiting.add({ ...request, since: performance.now() });
    },
  };
}
