import { setImmediate } from 'node:timers/promises';

/** Lets others have the thread when it has been held for a while; called between the steps of long work. */
export type TakeTurns = () => Promise<void> | undefined;

const SLICE_MS = 4;

/** Work that is done in slices of at most 4 ms and one step. */
export function inSlices(): TakeTurns {
  let until = performance.now() + SLICE_MS;
  const pause = async (): Promise<void> => {
    await setImmediate();
    until = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < until ? undefined : pause());
}
