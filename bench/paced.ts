import type { Sent } from './open-loop-request.ts';

const MAX_LATE_MS = 100;
const TICK_MS = 2;

/** Returns the path of a page of results that no other request has. */
export function newPage(seed: number, number: number): string {
  const unique = seed * 1e-3 + number * 1e-9;
  const filter = { voltageMin: 5 + (number % 97) / 10 + unique * 1e-3, tipDistMax: 10 + (number % 31) + unique * 1e-3 };
  return `/public/dataset?limit=20&filter=${encodeURIComponent(JSON.stringify(filter))}`;
}

/**
 * Sends `total` requests at `rate` per second, each when it is due. Skips those that it could not send within 100 ms of their time. Returns
 * the results once all requests have ended.
 */
export async function paced(
  total: number,
  rate: number,
  send: (number: number, dueAt: number) => Promise<Sent>,
): Promise<{ skipped: number; results: Sent[] }> {
  const started = performance.now();
  const sent: Promise<Sent>[] = [];
  let next = 0;
  let skipped = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      for (; next < total; next += 1) {
        const dueAt = started + (next * 1000) / rate;
        const late = performance.now() - dueAt;
        if (late < 0) return;
        if (late > MAX_LATE_MS) skipped += 1;
        else sent.push(send(next, dueAt));
      }
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  return { skipped, results: await Promise.all(sent) };
}

/** Sends requests for some seconds in a closed loop: each client sends its next request when the previous one has ended. */
export async function looped(
  clients: number,
  seconds: number,
  send: (number: number, dueAt: number) => Promise<Sent>,
): Promise<{ skipped: number; results: Sent[] }> {
  const end = performance.now() + seconds * 1000;
  const results: Sent[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) results.push(await send(next++, performance.now()));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { skipped: 0, results };
}
