import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 4;

let until = 0;

/** Lets other work of this process run if the current slice has used its 4 ms. Long work awaits it after each step. */
export function takeTurns(): Promise<void> | undefined {
  return performance.now() < until ? undefined : pause();
}

async function pause(): Promise<void> {
  await setImmediate();
  until = performance.now() + SLICE_MS;
}
