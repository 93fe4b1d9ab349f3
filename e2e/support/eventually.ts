import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 20;

/** Repeats a call until `accepts` accepts its result. Throws with the last result after `timeoutMs`. */
export async function eventually<Result>(
  ask: () => Promise<Result>,
  accept: (result: Result) => boolean,
  timeoutMs = 60_000,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await ask();
    if (accept(result)) return result;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms; the last: ${JSON.stringify(result)}`);
    await sleep(EVERY_MS);
  }
}
