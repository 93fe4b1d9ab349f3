import { ANALYSES, analysisPath } from './analyses.ts';
import type { Bench } from './bench.ts';
import { quantile } from './load.ts';
import { sendOnce } from './open-loop-request.ts';
import { paced } from './paced.ts';
import { processMemory } from './process-cost.ts';
import type { Part, Row } from './report.ts';

const SERVICE = 'dataset-svc';
const RATE = 50;
const SECONDS = 10;
const GIVE_UP_MS = 60_000;

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

/** Sends 50 analyses a second, each with its own filter, to the only replica of dataset-svc when it becomes ready. */
export async function analysesAfterStart({ stack, dataset }: Bench): Promise<Part> {
  await stack.kill(SERVICE);
  await stack.start(SERVICE);
  const port = Number(new URL(stack.url).port);
  const names = Object.keys(ANALYSES);
  const rows: Row[] = [];
  for (const seconds of [`first ${SECONDS}`, `next ${SECONDS}`]) {
    const { results } = await paced(RATE * SECONDS, RATE, (number, dueAt) => {
      const path = analysisPath(names[number % names.length] ?? '', 12 + rows.length + number / 1e6);
      return sendOnce({ host: '127.0.0.1', port, path, headers: { accept: '*/*' }, giveUpMs: GIVE_UP_MS, dueAt });
    });
    const times = results.map(({ ms }) => ms).sort((a, b) => a - b);
    rows.push({
      seconds,
      requests: results.length,
      answered: results.filter(({ status }) => status === 200).length,
      'p50 ms': quantile(times, 0.5),
      'p99 ms': quantile(times, 0.99),
    });
  }
  return {
    title: `Analyses after the start of a replica, ${dataset.size()} records`,
    notes: [`${RATE} requests a second, from the first 200 of /ready. No filter is used twice.`],
    rows,
    targets: [],
  };
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
