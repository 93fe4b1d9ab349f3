export interface WaitingRequest {
  start(): void;
  refuse(): void;
  isClosed(): boolean;
}

export interface RequestTurns {
  /** Whether a request would wait longer than allowed. */
  isFull(): boolean;
  /** Starts a request now or in its turn. Refuses it if 256 requests wait, or if it would wait longer than `waitMs`. */
  add(request: WaitingRequest): void;
}

const MAX_WAITING = 256;
// A new request waits about as long as the oldest one has waited, plus the time until that one starts.
const FULL_SHARE = 0.6;

/**
 * Starts one request in each turn of the event loop, in order of arrival. If requests filled the turns, new connections
 * would wait in the kernel, where no limit sees them, and with them those to /health.
 */
export function requestTurns(waitMs: number): RequestTurns {
  const waiting = new Set<WaitingRequest & { since: number }>();
  let isTaken = false;
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
    isTaken = waiting.size > 0;
    startNext();
    if (isTaken) setImmediate(turn);
  };
  const isFull = (): boolean => {
    if (waiting.size >= MAX_WAITING) return true;
    const [oldest] = waiting;
    return oldest !== undefined && performance.now() - oldest.since > waitMs * FULL_SHARE;
  };
  return {
    isFull,
    add: (request) => {
      if (isFull()) request.refuse();
      else if (isTaken) waiting.add({ ...request, since: performance.now() });
      else {
        isTaken = true;
        setImmediate(turn);
        request.start();
      }
    },
  };
}
