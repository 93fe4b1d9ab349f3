import { readFileSync } from 'node:fs';
import { processTable, treesOf } from './processor-time.ts';

// Reading the memory of a process takes about a millisecond.
const SAMPLE_MS = 5_000;

/**
 * Measures the memory of this process and its descendants from now on, as the sum of proportional set sizes. Returns a function that
 * returns the peaks in MB: of all processes, and of the largest worker of jest.
 */
export function measureMemory(): () => { memoryMegabytes: { run: number; worker: number } } {
  const peak = { run: 0, worker: 0 };
  const timer = setInterval(() => {
    let run = 0;
    for (const pid of treesOf([process.pid], processTable())) {
      const size = megabytesOf(pid);
      run += size;
      if (commandOf(pid).includes('jest-worker')) peak.worker = Math.max(peak.worker, Math.round(size));
    }
    peak.run = Math.max(peak.run, Math.round(run));
  }, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    return { memoryMegabytes: peak };
  };
}

function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = /^Pss: +(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes) / 1_000;
}

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`);

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
