/** A request that the code under test sent. */
export interface Call {
  readonly method: string;
  readonly address: string;
  readonly headers: Headers;
  readonly json: unknown;
  readonly signal: AbortSignal | undefined;
  /** Answers the request, also after it was aborted: an answer may already be on its way. */
  readonly answer: (body: unknown, status?: number, headers?: Record<string, string>) => void;
}

/** Replaces `fetch` until the end of the test file, and returns the requests in the order of sending. */
export function fakeFetch(): Call[] {
  const calls: Call[] = [];
  globalThis.fetch = (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve) => {
      calls.push({
        method,
        address: address instanceof Request ? address.url : String(address),
        headers: new Headers(headers),
        json: typeof body === 'string' ? JSON.parse(body) : undefined,
        signal: signal ?? undefined,
        answer: (json, status = 200, answered = {}) => resolve(Response.json(json, { status, headers: answered })),
      });
    });
  return calls;
}

const ROUNDS = 500;

/** Runs what is pending until a condition holds. Fails where it never does. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`The condition does not hold: ${holds.toString()}`);
}

/** Runs what is pending. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}
