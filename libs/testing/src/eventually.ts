import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 20;

/** Repeats a call until its result is truthy. Throws with the last result after 5 minutes, before jest ends the test. */
export async function eventually<Result>(
  read: () => Result | undefined | Promise<Result | undefined>,
): Promise<NonNullable<Result>>;
/** Repeats a call until `isExpected` accepts its result. Throws with the last result after `timeoutMs`. */
export async function eventually<Result>(
  read: () => Result | Promise<Result>,
  isExpected: (result: Result) => boolean,
  timeoutMs?: number,
): Promise<Result>;
export async function eventually(
  read: () => unknown,
  isExpected: (result: unknown) => boolean = Boolean,
  timeoutMs = 300_000,
): Promise<unknown> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await read();
    if (isExpected(result)) return result;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms; the last: ${JSON.stringify(result)}`);
    await sleep(EVERY_MS);
  }
}
