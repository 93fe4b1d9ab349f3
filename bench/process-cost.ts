import { readdir, readFile } from 'node:fs/promises';
import type { TestStack } from '@esd/testing/stack';
import { runningProcesses } from '@esd/dev-stack/processes';

/** Linux counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Memory of a process in MB: resident, and resident with shared pages divided among those that share them. Linux only. */
export async function processMemory(pid: number): Promise<{ rss: number; pss: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { rss: megabytes('Rss'), pss: megabytes('Pss') };
}

/** Processor time in milliseconds that one process has used so far, under the name given; nothing where there is no /proc. */
export async function processorTimeOf(name: string, pid: number | undefined): Promise<Map<string, number>> {
  return process.platform === 'linux' ? new Map([[name, all(await threadsOf(pid))]]) : new Map();
}

/**
 * Processor time in milliseconds that the processes behind a read have used so far, by what used it; nothing where there is
 * no /proc. The main thread of dataset-svc runs JavaScript, its others search the index and collect garbage.
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

/** Of each thread of a process, the main one first. */
async function threadsOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(
    threads
      .sort((a, b) => Number(a) - Number(b))
      .map(async (thread) => {
        // A thread may have ended since.
        const text = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        // User and system time, its own and that of processes that it started and that have ended: connections come and go.
        return TICK_MS * fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      }),
  );
}
