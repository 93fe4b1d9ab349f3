import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A port on loopback, held until it is released just before the process that wants it starts. */
export interface HeldPort {
  port: number;
  release: () => Promise<void>;
}

// Below the range from which Linux and macOS take the ports of outgoing connections, so that a process that is started again
// finds its port still free.
const lowest = 20_000;
const highest = 32_000;

/** Finds a free port on 127.0.0.1 and holds it. */
export async function holdFreePort(): Promise<HeldPort> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const held = await hold(randomInt(lowest, highest), '127.0.0.1').catch(() => undefined);
    if (held !== undefined) return held;
  }
  throw new Error(`no free port found between ${lowest} and ${highest}`);
}

/**
 * Why no server can listen on the port (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`), or undefined when one can. Without a host
 * all interfaces are meant.
 */
export async function whyNotFree(port: number, host?: string): Promise<string | undefined> {
  try {
    const held = await hold(port, host);
    await held.release();
    return undefined;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
      return error.code;
    throw error;
  }
}

function hold(port: number, host?: string): Promise<HeldPort> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, exclusive: true, ...(host === undefined ? {} : { host }) }, () => {
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
