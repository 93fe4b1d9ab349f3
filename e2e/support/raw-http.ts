import { connect } from 'node:net';

/** What came back over one connection, as far as it came. */
export interface RawAnswer {
  /** 0 when there was none. */
  status: number;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Sends bytes as they are over a connection of its own, for requests that no HTTP client would send, and reads until the
 * other side closes. `end` closes our own side after the bytes.
 */
export function rawHttp(url: string, bytes: string | Buffer, { end = false } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no end after ${TIMEOUT_MS} ms; so far: ${Buffer.concat(chunks).toString('latin1')}`));
    }, TIMEOUT_MS);
    socket.on('connect', () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => {
      clearTimeout(timer);
      // A server that has said its last word may refuse the rest of the request.
      if (chunks.length > 0) resolve(parse(Buffer.concat(chunks).toString()));
      else reject(error);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(parse(Buffer.concat(chunks).toString()));
    });
  });
}

function parse(text: string): RawAnswer {
  const split = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(split, 0)).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: split < 0 ? '' : text.slice(split + 4) };
}
