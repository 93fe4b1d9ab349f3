import { type Waiting, WaitingQueue } from '@esd/service/rpc/waiting-queue';

export interface RequestTurns {
  /** Whether new requests are refused. */
  isFull(): boolean;
  /** Starts a request now or in its turn. Refuses it if 256 requests wait, or in an overload; see `WaitingQueue`. */
  add(request: Waiting): void;
}

/**
 * Starts one request in each turn of the event loop, in order of arrival. If requests filled the turns, new connections
 * would wait in the kernel, where no limit sees them, and with them those to /health.
 */
export function requestTurns(targetMs: number): RequestTurns {
  const queue = new WaitingQueue(targetMs);
  let isTaken = false;
  const turn = (): void => {
    isTaken = queue.startNext();
    if (isTaken) setImmediate(turn);
  };
  return {
    isFull: () => queue.isFull,
    add: (request) => {
      if (queue.isFull) request.refuse();
      else if (isTaken) queue.add(request);
      else {
        isTaken = true;
        setImmediate(turn);
        request.start();
      }
    },
  };
}
