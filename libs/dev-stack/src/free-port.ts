import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A loopback port that no other caller of this module gets, in any process of this machine. */
export interface ReservedPort {
  port: number;
  /** Lets the intended process listen on the port. It can restart, because the port stays reserved. */
  release: () => Promise<void>;
  /** Ends the reservation. The end of this process does the same. */
  free: () => Promise<void>;
}

// Below the ephemeral port range of Linux and macOS, so that no outgoing connection takes the port of a process that restarts.
const lowest = 20_000;
const highest = 32_000;

export async function reserveFreePort(): Promise<ReservedPort> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const reserved = await reservePort(randomInt(lowest, highest)).catch(() => undefined);
    if (reserved !== undefined) return reserved;
  }
  throw new Error(`100 random ports between ${lowest} and ${highest} are in use`);
}

/** Reserves this port on 127.0.0.1. Rejects if it is in use. */
export async function reservePort(port: number): Promise<ReservedPort> {
  // The UDP port of the same number marks the reservation, because the intended process takes seconds to listen.
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

/** Returns the error code (such as `EADDRINUSE`) if no server can listen on the port. Checks all interfaces without `host`. */
export async function portError(port: number, host?: string): Promise<string | undefined> {
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

function occupy(port: number, host?: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    // Early clients are disconnected and retry; an open connection would block the port.
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ port, exclusive: true, ...(host === undefined ? {} : { host }) }, () => {
      resolve(() => new Promise((done) => server.close(() => done())));
    });
  });
}
