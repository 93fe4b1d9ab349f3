/** A process of the open-loop generator: sends requests at their scheduled times and reports the results to its parent. */
import { z } from 'zod';
import { sendOnce, type Sent } from './open-loop-request.ts';

export const order = z.object({
  host: z.string(),
  port: z.int(),
  /** Requests per second of this process. */
  rate: z.number(),
  seconds: z.number(),
  giveUpMs: z.number(),
  /** Distinguishes the filters of this process and series from all others. */
  seed: z.int(),
});
export type Order = z.output<typeof order>;

export interface SenderReport {
  /** Requests that could not be sent within 100 ms of their time; not offered. */
  skipped: number;
  results: Sent[];
  /** Processor seconds of this process. */
  cpuSeconds: number;
}

const MAX_LATE_MS = 100;
const TICK_MS = 2;

/** Returns the path of a page of results that no other request has. */
function newPage(seed: number, number: number): string {
  const unique = seed * 1e-3 + number * 1e-9;
  const filter = { voltageMin: 5 + (number % 97) / 10 + unique * 1e-3, tipDistMax: 10 + (number % 31) + unique * 1e-3 };
  return `/public/dataset?limit=20&filter=${encodeURIComponent(JSON.stringify(filter))}`;
}

async function run({ host, port, rate, seconds, giveUpMs, seed }: Order): Promise<SenderReport> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const total = Math.round(rate * seconds);
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
        else sent.push(sendOnce({ host, port, path: newPage(seed, next), dueAt, giveUpMs }));
      }
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const results = await Promise.all(sent);
  const { user, system } = process.cpuUsage(cpu);
  return { skipped, results, cpuSeconds: (user + system) / 1e6 };
}

process.on('message', (message) => {
  void run(order.parse(message)).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
