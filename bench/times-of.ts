import { setTimeout as sleep } from 'node:timers/promises';

const NOTICED_MS = 200;

/** Runs calls, so many at once, and returns the time that each took in milliseconds, sorted. */
export async function timesOf(calls: number, atOnce: number, call: (number: number) => Promise<unknown>) {
  // After long work, connections that the server has closed meanwhile are noticed first: a call would be sent over one.
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
