/** `npm run bench`: the whole system on this machine under load, beside what it is measured against. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startStack } from '@esd/testing/stack';
import type { Bench } from './bench.ts';
import { deepPages } from './deep-pages.ts';
import { openDataset } from './fill-dataset.ts';
import { filteredReads } from './filtered-reads.ts';
import { growAndStart, memoryAfterReads, newCopyPart } from './new-copy.ts';
import { differentPages, repeatedPage } from './page-reads.ts';
import { processorTime } from './process-cost.ts';
import { describeMachine, markdown, partMarkdown, type Part, type Row, writeReport } from './report.ts';

const usage = `Usage: npm run bench -- [options], or npm run bench -- hostile [options] for hostile bodies and attacks

  --quick      about two minutes, up to 100,000 records; the whole bench takes some ten, up to 1,000,000
  --out DIR    folder for bench.md and bench.json (bench/results)
  --seed N     where the random choices of records and filters begin (1)`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: resolve(import.meta.dirname, 'results') },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}

const { quick } = values;
const seed = z.coerce.number().int().parse(values.seed);
const out = resolve(process.env['INIT_CWD'] ?? '.', values.out);
const [small, middle, large] = [10_000, 100_000, 1_000_000];

const startedAt = new Date().toISOString();
const machine = describeMachine();
const parts: Part[] = [];
const done = (part: Part): void => {
  parts.push(part);
  console.log(partMarkdown(part));
};

console.log('starting the system');
const stack = await startStack({ empty: true });
let stopping: Promise<void> | undefined;
const stop = (): Promise<void> => (stopping ??= stack.stop());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The folder of a million records must not be left behind.
  process.on(signal, () => void stop().finally(() => process.exit(1)));
}
try {
  const dataset = await openDataset(stack.databaseUrl('esd_dataset'), seed);
  const meter = () => processorTime(stack);
  const bench: Bench = { stack, dataset, seed, meter, seconds: quick ? 2 : 6, rounds: quick ? 2 : 3 };
  const copies: Row[] = [];
  const grow = async (size: number): Promise<void> => {
    console.log(`growing to ${size} records`);
    copies.push(await growAndStart(bench, size));
  };
  const readDone = async (): Promise<void> => {
    copies.push({ ...copies.pop(), ...(await memoryAfterReads(bench)) });
  };

  await grow(dataset.demo.length);
  done(await repeatedPage(bench));
  await readDone();
  await grow(small);
  done(await filteredReads(bench, { targets: false }));
  await readDone();
  await grow(middle);
  if (!quick) await grow(large);
  done(await filteredReads(bench, { targets: !quick }));
  done(await differentPages(bench));
  done(await deepPages(bench));
  await readDone();
  done(newCopyPart(copies));
  await dataset.close();
} finally {
  await stop();
}
const settings = {
  seed,
  run: quick ? 'quick' : 'whole',
  PostgreSQL: 'embedded, shared_buffers 64 MB, JIT off',
};
const report = { startedAt, machine, settings, parts };
writeReport(out, report);
console.log(markdown(report));
