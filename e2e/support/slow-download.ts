import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A download that is read at its reader's will. */
export interface SlowDownload {
  status: number;
  /** Reads on to the end; `complete` says whether it ended as HTTP says that it must. */
  finish(): Promise<{ complete: boolean; text: string }>;
  /** Goes away in the middle. */
  abandon(): void;
}

/** Begins a download and stops reading after its first bytes. */
export async function beginDownload(url: string): Promise<SlowDownload> {
  const request = get(url, { agent: false });
  // Node gives the event the answer as its one argument.
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  // A broken connection is what the caller asks about.
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
