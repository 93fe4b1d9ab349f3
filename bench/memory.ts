/**
 * Measures the memory of a running stack by process: PSS (resident memory, with shared pages divided among their users) from
 * /proc/<pid>/smaps_rollup. Runs on Linux only, as the user of the processes or root.
 *
 *   node bench/memory.ts [--data-dir .esd]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runningProcesses } from '@esd/dev-stack/processes';
import { processMemory } from './process-cost.ts';
import { type Part, partMarkdown } from './report.ts';

const { values } = parseArgs({ options: { 'data-dir': { type: 'string', default: '.esd' } } });

const stack = z.object({ processes: z.record(z.string(), z.int()) });
const file = readFileSync(join(values['data-dir'], 'stack.json'), 'utf8');
const running = [...(await runningProcesses()).values()];

const rows: Part['rows'][number][] = [];
let whole = 0;
for (const [process, pid] of Object.entries(stack.parse(JSON.parse(file)).processes)) {
  // Includes child processes: PostgreSQL has one per connection.
  const pids = [pid, ...running.filter(({ parent }) => parent === pid).map((child) => child.pid)];
  const sizes = await Promise.all(pids.map((one) => processMemory(one).catch(() => ({ rss: 0, pss: 0 }))));
  const pss = sizes.reduce((sum, size) => sum + size.pss, 0);
  whole += pss;
  rows.push({ process, processes: pids.length, 'PSS MB': pss });
}
rows.push({ process: 'all', processes: '', 'PSS MB': whole });

const part: Part = {
  title: 'Memory',
  notes: ['PSS of each process of the stack, including its child processes.'],
  rows,
  targets: [{ what: 'whole stack, PSS MB', measured: whole, atMost: 650 }],
};
console.log(partMarkdown(part));
console.log(JSON.stringify(part));
