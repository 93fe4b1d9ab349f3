import { Socket } from 'node:net';

const TRICKLE_BYTES = 1_024;
const TRICKLE_MS = 1_000;

/** Many clients at once that have asked for one thing and do not take it. */
export interface SlowReaders {
  /** How many have had the beginning of an answer with this status. */
  answered(status: number): number;
  /** Ends those that are left. */
  stop(): void;
}

const NETWORKS = 8;

/** Spreads readers over eight networks, so that none uses up the share of one client; only Linux has all of 127.0.0.0/8. */
function fromElsewhere(index: number): { localAddress?: string } {
  return process.platform === 'linux' ? { localAddress: `127.${1 + (index % NETWORKS)}.0.1` } : {};
}

/**
 * Opens `count` connections, one each `everyMs`, each with one GET for `url`. Every second one reads 1 KB a second, the others
 * read the first bytes and then nothing.
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
    // Without a listener the socket would not begin to read; what it holds stays there.
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
