import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A download that the test reads step by step. */
export interface SlowDownload {
  status: number;
  /** Reads the rest; `complete` reports whether the response ended as HTTP requires. */
  finish(): Promise<{ complete: boolean; text: string }>;
  /** Closes the connection in the middle. */
  abandon(): void;
}

/** Starts a download and stops reading after its first bytes. */
export async function beginDownload(url: string): Promise<SlowDownload> {
  const request = get(url, { agent: false });
  // Node passes the response as the only argument of the event.
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  // `rest` reports a broken connection.
  const ended = new Promise<void>((resolve) => {
    response.once('close', resolve).on('error', () => undefined);
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    response.once('data', (chunk: Buffer) => {
      chunks.push(chunk);
      response.pause();
      resolve();
    });
  });
  return {
    status: response.statusCode ?? 0,
    finish: async () => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
      await ended;
      return { complete: response.complete, text: Buffer.concat(chunks).toString() };
    },
    abandon: () => request.destroy(),
  };
}
