import { setTimeout as sleep } from 'node:timers/promises';

const NOTICED_MS = 200;

/** Runs calls, `atOnce` of them concurrently, and returns their sorted times in milliseconds. */
export async function timesOf(calls: number, atOnce: number, call: (number: number) => Promise<unknown>) {
  // Lets the client notice connections that the server closed during long work, so that no call uses one.
  await sleep(NOTICED_MS);
  const times: number[] = [];
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < calls) {
      const number = next++;
      const started = performance.now();
      await call(number);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return times.sort((a, b) => a - b);
}
