import type { Server } from 'node:http';

const SWEEP_MS = 100;

/** Stops taking connections, waits for the answers that run, and cuts what is left after `seconds`. */
export async function drainHttp(server: Server, seconds: number): Promise<void> {
  // close() ends the connections that are idle now; those that become idle later have to be swept.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_MS);
  const force = setTimeout(() => {
    server.closeAllConnections();
  }, seconds * 1000);
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  clearTimeout(force);
  clearInterval(sweep);
}
