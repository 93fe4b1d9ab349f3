import { connect } from 'node:net';

/** The result of a request on its own connection. */
export interface Sent {
  /** 0 without a complete response: the client gave up, or the server closed the connection early. */
  status: number;
  /** Milliseconds from the moment the request was due to its last byte, or until the client gave up. */
  ms: number;
  retryAfter: boolean;
  /** The reason if the status is 0. */
  failure: 'none' | 'gave up' | 'truncated' | 'connection';
}

export interface OpenRequest {
  host: string;
  port: number;
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** The local address; by default each connection has its own. */
  from?: string;
  /** When the request was due, as `performance.now()`. */
  dueAt: number;
  giveUpMs: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = '0\r\n\r\n';
let connections = 0;

/**
 * Sends a request on a new connection and reads its whole response. Uses raw sockets, which cost a third of `node:http`.
 * Without `from`, each connection has its own address of 127.0.0.0/8, so that limits per client do not apply. Linux only. Never rejects.
 */
export function sendOnce({
  host,
  port,
  method = 'GET',
  path,
  headers = {},
  body,
  from,
  dueAt,
  giveUpMs,
}: OpenRequest): Promise<Sent> {
  return new Promise((resolve) => {
    const number = (connections += 1) + process.pid * 4_099;
    const socket = connect({
      host,
      port,
      localAddress: from ?? `127.${16 + (number % 200)}.${(number >> 8) & 255}.${1 + (number % 250)}`,
    });
    let head: string | undefined;
    let bodyBytes = 0;
    let expected: number | undefined;
    let received: Buffer = Buffer.alloc(0);
    let tail = '';
    let isSettled = false;
    const settle = (failure: Sent['failure']): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      socket.destroy();
      const status = failure === 'none' ? Number(head?.slice(9, 12)) : 0;
      resolve({ status, ms: performance.now() - dueAt, retryAfter: /\r\nretry-after: /i.test(head ?? ''), failure });
    };
    const timer = setTimeout(() => settle('gave up'), Math.max(0, dueAt + giveUpMs - performance.now()));
    const all = {
      Host: `${host}:${port}`,
      Connection: 'close',
      ...headers,
      ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.cork();
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (body !== undefined) socket.write(body);
    socket.uncork();
    socket.on('data', (chunk: Buffer) => {
      if (head === undefined) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const end = received.indexOf(HEAD_END);
        if (end < 0) return;
        head = received.toString('latin1', 0, end);
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        expected = length === undefined ? undefined : Number(length);
        chunk = received.subarray(end + HEAD_END.length);
      }
      bodyBytes += chunk.length;
      if (expected === undefined) tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5);
      if (expected === undefined ? tail === CHUNKS_END : bodyBytes >= expected) settle('none');
    });
    socket.on('error', () => settle('connection'));
    socket.on('close', () => settle(head === undefined ? 'connection' : 'truncated'));
  });
}
