import { Socket } from 'node:net';

const TRICKLE_BYTES = 1_024;
const TRICKLE_MS = 1_000;

/** Many simultaneous clients that request one URL and read slowly or not at all. */
export interface SlowReaders {
  /** The number of clients that received the head of a response with this status. */
  answered(status: number): number;
  /** Closes the remaining connections. */
  stop(): void;
}

const NETWORKS = 8;

/** Spreads clients over eight networks, so that they do not share one limit. Only Linux accepts all of 127.0.0.0/8. */
function fromElsewhere(index: number): { localAddress?: string } {
  return process.platform === 'linux' ? { localAddress: `127.${1 + (index % NETWORKS)}.0.1` } : {};
}

/**
 * Opens `count` connections, one each `everyMs`, each with one GET for `url`. Every second client reads 1 KB per second; the others
 * stop after the first bytes.
 */
export function startSlowReaders(url: string, count: number, everyMs: number): SlowReaders {
  const { hostname, port, pathname, search } = new URL(url);
  const readers = Array.from({ length: count }, (_, index) => {
    const socket = new Socket();
    const reader = { first: '', socket };
    const take = (): void => {
      const chunk: unknown = socket.read(Math.min(TRICKLE_BYTES, socket.readableLength));
      if (!Buffer.isBuffer(chunk)) return;
      if (reader.first === '') reader.first = chunk.toString('latin1', 0, 20);
    };
    // Without a listener the socket does not start reading; it buffers the rest.
    socket.once('readable', take);
    socket.on('error', () => undefined);
    const opening = setTimeout(() => {
      socket.connect({ port: Number(port), host: hostname, ...fromElsewhere(index) });
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    }, index * everyMs);
    const timer = index % 2 === 0 ? setInterval(take, TRICKLE_MS) : undefined;
    return { reader, timers: [timer, opening] };
  });
  const all = readers.map(({ reader }) => reader);
  return {
    answered: (status) => all.filter(({ first }) => first.startsWith(`HTTP/1.1 ${status} `)).length,
    stop: () => {
      for (const { reader, timers } of readers) {
        for (const timer of timers) clearTimeout(timer);
        reader.socket.destroy();
      }
    },
  };
}
