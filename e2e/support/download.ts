import { eventually } from '@esd/testing/eventually';

const TIMEOUT_MS = 200_000;

/** A response with its body as bytes. */
export interface Download {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** Returns a file, without following redirects. Repeats the request while the service builds the file, which it refuses after 10 s. */
export function download(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Download> {
  const read = async (): Promise<Download> => {
    const response = await fetch(url, { method, headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  return eventually(read, ({ status }) => status !== 503, TIMEOUT_MS);
}
