import type { Bench } from './bench.ts';
import { processMemory } from './process-cost.ts';
import type { Part, Row } from './report.ts';

const SERVICE = 'dataset-svc';

/** Grows the dataset while all replicas of dataset-svc are down, and starts them. Returns the seconds until they are ready, and the memory of the first. */
export async function growAndStart({ stack, dataset }: Bench, size: number): Promise<Row> {
  const replicas = Object.keys(stack.addresses).filter((name) => name.startsWith(SERVICE));
  await Promise.all(replicas.map(stack.kill));
  const growSeconds = await dataset.growTo(size);
  const started = performance.now();
  await Promise.all(replicas.map(stack.start));
  const seconds = (performance.now() - started) / 1000;
  const { rss, pss } = await memoryOf(stack.pid(SERVICE));
  return { records: size, 'appended in s': growSeconds, 'ready after s': seconds, 'PSS MB': pss, 'RSS MB': rss };
}

export async function memoryAfterReads({ stack }: Bench): Promise<Row> {
  const { rss, pss } = await memoryOf(stack.pid(SERVICE));
  return { 'PSS MB after reads': pss, 'RSS MB after reads': rss };
}

export function newReplicaPart(rows: readonly Row[]): Part {
  const largest = rows.at(-1);
  const seconds = Number(largest?.['ready after s']);
  return {
    title: 'A new replica of dataset-svc',
    notes: [
      'Seconds from the start of the process until /ready returns 200; memory at that time and after the reads of this run.',
    ],
    rows: [...rows],
    targets:
      largest?.['records'] === 1_000_000
        ? [
            { what: 'a new replica with 1,000,000 records, ready after s', measured: seconds, atMost: 8 },
            { what: 'its memory, PSS MB', measured: Number(largest['PSS MB']), atMost: 350 },
          ]
        : [],
  };
}

async function memoryOf(pid: number | undefined): Promise<{ rss: number; pss: number }> {
  if (pid === undefined) throw new Error(`${SERVICE} is not running`);
  return processMemory(pid);
}
