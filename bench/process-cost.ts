import { readdir, readFile } from 'node:fs/promises';
import type { TestStack } from '@esd/testing/stack';
import { runningProcesses } from '@esd/dev-stack/processes';

/** Linux counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Returns the memory of a process in MB: RSS, and PSS with shared pages divided among their users. Linux only. */
export async function processMemory(pid: number): Promise<{ rss: number; pss: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { rss: megabytes('Rss'), pss: megabytes('Pss') };
}

/** Returns the processor time of one process so far in milliseconds, under `name`; an empty map if there is no /proc. */
export async function processorTimeOf(name: string, pid: number | undefined): Promise<Map<string, number>> {
  return process.platform === 'linux' ? new Map([[name, all(await threadsOf(pid))]]) : new Map();
}

/**
 * Returns the processor time so far, in milliseconds, of the processes behind a read; an empty map if there is no /proc. The main thread of
 * dataset-svc runs JavaScript; its other threads search the index and collect garbage.
 */
export async function processorTime(stack: TestStack): Promise<Map<string, number>> {
  if (process.platform !== 'linux') return new Map();
  const [gateway, dataset, postgres] = await Promise.all(
    ['gateway', 'dataset-svc', 'postgres'].map((name) => threadsOf(stack.pid(name))),
  );
  const backends = [...(await runningProcesses()).values()].filter(({ parent }) => parent === stack.pid('postgres'));
  const ofBackends = await Promise.all(backends.map(async ({ pid }) => all(await threadsOf(pid))));
  return new Map([
    ['gateway', all(gateway)],
    ['dataset-svc main thread', dataset?.[0] ?? 0],
    ['dataset-svc other threads', all(dataset?.slice(1))],
    ['PostgreSQL', ofBackends.reduce((sum, time) => sum + time, all(postgres))],
  ]);
}

const all = (threads: readonly number[] = []): number => threads.reduce((sum, time) => sum + time, 0);

/** Returns the milliseconds of each thread of a process, the main thread first. */
async function threadsOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(
    threads
      .sort((a, b) => Number(a) - Number(b))
      .map(async (thread) => {
        const text = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        // User and system time, including exited child processes, because PostgreSQL starts one per connection.
        return TICK_MS * fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      }),
  );
}
