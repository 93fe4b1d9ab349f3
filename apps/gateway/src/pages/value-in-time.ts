import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum wait for numbers without which a page is still useful. */
const NUMBERS_MS = 1_000;

/** Returns the value, or undefined after a second or a failure. */
export async function valueInTime<Value>(value: Promise<Value>): Promise<Value | undefined> {
  const waiting = new AbortController();
  const late = sleep(NUMBERS_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return await Promise.race([value.catch(() => undefined), late]);
  } finally {
    waiting.abort();
  }
}
