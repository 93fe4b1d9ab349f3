import type { RequestListener, Server } from 'node:http';

// About 50 ms, so that a flood of connections cannot stop the requests that have arrived.
const MAX_TURNS = 512;

/**
 * Lets the server accept all connections that wait before it starts the requests that have arrived. Node accepts one
 * connection in each turn of the event loop. While requests fill every turn, further connections would wait in the kernel,
 * unseen by any limit, and also delay those to /health. Returns the listener for the requests of the server.
 */
export function acceptFirst(listener: RequestListener): { listener: RequestListener; watch: (server: Server) => void } {
  let arrived: Parameters<RequestListener>[] = [];
  let isWaiting = false;
  let hasAccepted = false;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (hasAccepted && turns < MAX_TURNS) {
      hasAccepted = false;
      setImmediate(turn);
      return;
    }
    isWaiting = false;
    const starting = arrived;
    arrived = [];
    // Each request makes its calls before the next one starts, so that the next one sees a full queue.
    for (const [request, response] of starting) setImmediate(listener, request, response);
  };
  return {
    listener: (request, response) => {
      if (isWaiting) arrived.push([request, response]);
      else listener(request, response);
    },
    watch: (server) => {
      server.on('connection', () => {
        hasAccepted = true;
        if (isWaiting) return;
        isWaiting = true;
        turns = 0;
        setImmediate(turn);
      });
    },
  };
}
