import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { toServiceError } from '@esd/service/errors';
import type { SharedCalls } from '@esd/service/rpc/shared-calls';

const SLICE_MS = 4;

let until = 0;
const stopping = new AsyncLocalStorage<AbortSignal>();

/** Runs long work that throws the reason of the signal at its next slice after the signal aborts. */
export function stoppable<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return stopping.run(signal, work);
}

/** Runs long work once for all callers that need its result at the same time. The work stops when the last of them does. */
export async function sharedWork<Result>(
  calls: SharedCalls<Result>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // Work without a caller that stops, such as a job, runs to its end.
  const { result } = calls.join(key, stopping.getStore(), (signal) => stoppable(signal, work));
  const value = await result;
  throwIfStopped();
  return value;
}

/** Lets other work of this process run if the current slice has used its 4 ms. Await it after each step of long work. */
export function yieldAfterSlice(): Promise<void> | undefined {
  return performance.now() < until ? undefined : pause();
}

async function pause(): Promise<void> {
  await setImmediate();
  until = performance.now() + SLICE_MS;
  throwIfStopped();
}

function throwIfStopped(): void {
  const signal = stopping.getStore();
  if (signal?.aborted) throw toServiceError(signal.reason);
}

/** The number of rows in a step. A loop over them takes less than a millisecond. */
export const STEP = 16_384;

export async function inSteps(rows: Int32Array, visit: (part: Int32Array) => void): Promise<void> {
  for (let from = 0; from < rows.length; from += STEP) {
    visit(rows.subarray(from, from + STEP));
    await yieldAfterSlice();
  }
}
