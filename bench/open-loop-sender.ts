/** A process of the open-loop generator: sends requests at their scheduled times and reports the results to its parent. */
import { z } from 'zod';
import { sendOnce, type Sent } from './open-loop-request.ts';
import { looped, newPage, paced } from './paced.ts';

export const order = z.object({
  host: z.string(),
  port: z.int(),
  /** Requests per second of this process. */
  rate: z.number(),
  /** Clients of a closed loop in this process; 0 for an open loop. */
  clients: z.int(),
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

async function run({ host, port, rate, clients, seconds, giveUpMs, seed }: Order): Promise<SenderReport> {
  const cpu = process.cpuUsage();
  const send = (number: number, dueAt: number): Promise<Sent> =>
    sendOnce({ host, port, path: newPage(seed, number), dueAt, giveUpMs });
  const sent = clients > 0 ? looped(clients, seconds, send) : paced(Math.round(rate * seconds), rate, send);
  const { skipped, results } = await sent;
  const { user, system } = process.cpuUsage(cpu);
  return { skipped, results, cpuSeconds: (user + system) / 1e6 };
}

process.on('message', (message) => {
  void run(order.parse(message)).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
