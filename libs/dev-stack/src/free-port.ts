import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port on loopback that nobody else who asks here is given, in any process of this machine. */
export interface HeldPort {
  port: number;
  /** Lets the process for which the port is held listen there. It may start again: the port is not given to others. */
  release: () => Promise<void>;
  /** Gives the port back, for others. The end of this process does the same. */
  free: () => Promise<void>;
}

// Below the range from which Linux and macOS take the ports of outgoing connections, so that a process that is started again
// finds its port still free.
const lowest = 20_000;
const highest = 32_000;

/** Finds a free port on 127.0.0.1 and holds it. */
export async function holdFreePort(): Promise<HeldPort> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const held = await holdPort(randomInt(lowest, highest)).catch(() => undefined);
    if (held !== undefined) return held;
  }
  throw new Error(`no free port found between ${lowest} and ${highest}`);
}

/** Holds this port on 127.0.0.1; rejects when it is taken. */
export async function holdPort(port: number): Promise<HeldPort> {
  // A process takes seconds until it listens: meanwhile the UDP port of the same number says that this one is given away.
  const reserved = createSocket('udp4');
  reserved.unref();
  const free = async (): Promise<void> => {
    const closed = once(reserved, 'close');
    reserved.close();
    await closed;
  };
  const bound = once(reserved, 'listening');
  reserved.bind({ port, address: '127.0.0.1', exclusive: true });
  await bound;
  try {
    const release = await occupy(port, '127.0.0.1');
    return {
      port,
      release,
      free: async () => {
        await release();
        await free();
      },
    };
  } catch (error) {
    await free();
    throw error;
  }
}

/**
 * Why no server can listen on the port (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`), or undefined when one can. Without a host
 * all interfaces are meant.
 */
export async function whyNotFree(port: number, host?: string): Promise<string | undefined> {
  try {
    const release = await occupy(port, host);
    await release();
    return undefined;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
      return error.code;
    throw error;
  }
}

/** Listens on the port until the function that it returns is called. */
function occupy(port: number, host?: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    // Who is early, such as a client of the process that will listen here, tries again; one that stayed would keep the port.
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ port, exclusive: true, ...(host === undefined ? {} : { host }) }, () => {
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}
