import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:net';
import { request } from '@esd/testing/http';

/** Where an attack goes, and when it ends. */
export interface Target {
  url: string;
  bearer: string;
  signal: AbortSignal;
}

/** An attack that runs until its signal; gives back what it was answered, in short. */
export type Attack = (target: Target) => Promise<string>;

const HEAD = 'Host: bench\r\nContent-Type: application/json\r\n';

/** Opens connections that each send `text` and then `drip` a second; counts the statuses that come back. */
function connections(count: number, text: string, drip: string): Attack {
  return async ({ url, signal }) => {
    const { hostname, port } = new URL(url);
    const answers = new Map<string, number>();
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.once('data', (data) => {
        const status = String(data).split(' ')[1] ?? 'none';
        answers.set(status, (answers.get(status) ?? 0) + 1);
      });
      socket.write(text);
      return socket;
    });
    while (!signal.aborted) {
      for (const socket of sockets) if (socket.writable && drip !== '') socket.write(drip);
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
    for (const socket of sockets) socket.destroy();
    return [...answers].map(([status, times]) => `${times} × ${status}`).join(', ');
  };
}

/** Sends the same body again and again, several at a time. */
function bodies(atOnce: number, path: string, body: string): Attack {
  return async ({ url, signal }) => {
    const answers = new Map<number, number>();
    const send = async (): Promise<void> => {
      while (!signal.aborted) {
        const headers = { 'content-type': 'application/json' };
        const answer = await request(url + path, { method: 'POST', headers, body, timeoutMs: 120_000 }).catch(
          () => undefined,
        );
        answers.set(answer?.status ?? 0, (answers.get(answer?.status ?? 0) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
    return [...answers].map(([status, times]) => `${times} × ${status}`).join(', ');
  };
}

const wide = `{${Array.from({ length: 600_000 }, (_, index) => `"m${index.toString(36)}":0`).join()}}`;
const unfinished = `POST /data/submit HTTP/1.1\r\n${HEAD}Content-Length: 10485760\r\n\r\n`;

/** Attacks by name. Further ones belong here. */
export const attacks: Readonly<Record<string, Attack>> = {
  members: bodies(2, '/feedback/submit', wide),
  unfinished: connections(60, unfinished + ' '.repeat(10_000_000), ''),
  senders: connections(60, unfinished, ' '),
  headers: connections(200, 'GET /health HTTP/1.1\r\n', 'X-Slow: a\r\n'),
};
