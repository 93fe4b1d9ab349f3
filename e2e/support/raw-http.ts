import { connect } from 'node:net';

/** The received part of a response. */
export interface RawAnswer {
  /** 0 without a status line. */
  status: number;
  /** Keys are lower-case names. */
  headers: Map<string, string>;
  body: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Sends bytes verbatim over a new connection, for requests that no HTTP client sends, and reads until the server closes it. With
 * `end`, the client closes its side after the bytes.
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
      // A server that has sent its response may reset the connection for the rest of the request.
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
