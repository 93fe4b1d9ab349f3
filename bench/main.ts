/** `npm run bench`: measures the whole system under load on this machine, compared with baselines. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { CALL_LIMIT_DEFAULTS } from '@esd/service/config';
import { startStack, type TestStack } from '@esd/testing/stack';
import type { Bench } from './bench.ts';
import { analyses } from './analyses.ts';
import { deepPages } from './deep-pages.ts';
import { costStack, RequestCosts } from './cost.ts';
import { openDataset } from './fill-dataset.ts';
import { checkOut, type BaselineCheckout } from './baseline-checkout.ts';
import { overload } from './open-loop.ts';
import { filteredReads } from './filtered-reads.ts';
import { analysesAfterStart, growAndStart, memoryAfterReads, newReplicaPart } from './new-replica.ts';
import { differentPages, repeatedPage } from './page-reads.ts';
import { processorTime } from './process-cost.ts';
import { pageSteps } from './page-steps.ts';
import { programs } from './programs.ts';
import { submissionTable } from './submission-table.ts';
import { traceCost } from './traces.ts';
import { describeMachine, markdown, partMarkdown, type Part, type Row, writeReport } from './report.ts';

const usage = `Usage: npm run bench -- [options]
Measures the whole system under load. Requires the load generator wrk (apt-get install wrk, or brew install wrk).

  --quick      measure up to 100,000 records in about 2 minutes; without it, up to 1,000,000 in about 10 minutes
  --out DIR    folder for bench.md and bench.json (bench/results)
  --overload   measure only overload, in about 3 minutes for each commit; Linux only
  --cost       measure only the processor time of requests, in about 25 minutes; with --quick of fewer requests; Linux only
  --traces     measure only the cost of traces for reads, in about 4 minutes
  --records N,…  numbers of records of --cost (10000)
  --replicas N,…  numbers of replicas of each process of --cost (1,2,3)
  --against C  measure the programs of commit C first, with the same records
  --seed N     seed of the random records and filters (1)`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    overload: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
    records: { type: 'string', default: '10000' },
    replicas: { type: 'string', default: '1,2,3' },
    out: { type: 'string', default: resolve(import.meta.dirname, 'results') },
    seed: { type: 'string', default: '1' },
    against: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}

const { quick } = values;
const numbers = (list: string): number[] => list.split(',').map((one) => z.coerce.number().int().positive().parse(one));
const seed = z.coerce.number().int().parse(values.seed);
const out = resolve(process.env['INIT_CWD'] ?? '.', values.out);

const startedAt = new Date().toISOString();
const machine = describeMachine();
const parts: Part[] = [];
const [small, middle, large] = [10_000, 100_000, 1_000_000];
let running: TestStack | undefined;
let baseline: BaselineCheckout | undefined;
const stop = async (): Promise<void> => {
  await running?.stop();
  running = undefined;
  baseline?.remove();
  baseline = undefined;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stop().finally(() => process.exit(1)));
}
try {
  if (values.traces) {
    parts.push(await traceCost());
  } else if (values.cost) {
    for (const size of numbers(values.records)) await measureCosts(size);
  } else {
    if (values.against !== undefined) {
      baseline = checkOut(values.against);
      await measure(` (${baseline.commit})`, baseline.folder);
    }
    await measure('');
  }
} finally {
  await stop();
}

function fillsDatasets(module: unknown): module is { openDataset: typeof openDataset } {
  return typeof module === 'object' && module !== null && 'openDataset' in module;
}

/** Measures the processor time of requests with each number of replicas, then checks a prediction; each on a new stack. */
async function measureCosts(size: number): Promise<void> {
  const costs = new RequestCosts(quick ? 200 : 2_000);
  const onNewStack = async (replicas: number, run: (bench: Bench) => Promise<Part>): Promise<void> => {
    console.log(`starting ${replicas} of each process with ${size} records`);
    const stack = await startStack({ empty: true, ...costStack(replicas) });
    running = stack;
    const dataset = await openDataset(stack.databaseUrl('esd_dataset'), seed);
    const bench: Bench = { stack, dataset, seed, meter: () => processorTime(stack), seconds: 0, rounds: 0 };
    await growAndStart(bench, size);
    const part = await run(bench);
    parts.push(part);
    console.log(partMarkdown(part));
    await dataset.close();
    await stop();
  };
  for (const replicas of numbers(values.replicas))
    await onNewStack(replicas, (bench) => costs.measure(bench, replicas));
  // Exports of larger datasets would take most of the time of the mix.
  if (size <= middle) await onNewStack(1, (bench) => costs.checkMix(bench));
}

/** Measures all parts on a new stack, with the programs of `checkout` if given. */
async function measure(label: string, checkout?: string): Promise<void> {
  console.log(`starting the system${label}`);
  // Tests wait longer than the default.
  const env = { ESD_UPSTREAM_WAIT_MS: String(CALL_LIMIT_DEFAULTS.ESD_UPSTREAM_WAIT_MS) };
  const stack = await startStack({ empty: true, env, ...(checkout === undefined ? {} : { checkout }) });
  running = stack;
  // The measured commit fills its own tables, because tables can differ between commits.
  const fill: unknown = await import(join(checkout ?? resolve(import.meta.dirname, '..'), 'bench/fill-dataset.ts'));
  if (!fillsDatasets(fill))
    throw new Error(
      `bench/fill-dataset.ts in ${checkout ?? ''} does not export openDataset. Choose a newer commit for --against.`,
    );
  const dataset = await fill.openDataset(stack.databaseUrl('esd_dataset'), seed);
  const meter = () => processorTime(stack);
  const bench: Bench = { stack, dataset, seed, meter, seconds: quick ? 2 : 6, rounds: quick ? 2 : 3 };
  const replicaRows: Row[] = [];
  const done = (part: Part): void => {
    const labeled = { ...part, title: part.title + label };
    parts.push(labeled);
    console.log(partMarkdown(labeled));
  };
  const grow = async (size: number): Promise<void> => {
    console.log(`growing to ${size} records`);
    replicaRows.push(await growAndStart(bench, size));
  };
  const readDone = async (): Promise<void> => {
    replicaRows.push({ ...replicaRows.pop(), ...(await memoryAfterReads(bench)) });
  };

  if (values.overload) {
    await grow(small);
    done(await overload(stack));
    await dataset.close();
    await stack.stop();
    running = undefined;
    return;
  }
  await grow(dataset.demo.length);
  done(await submissionTable(bench));
  done(await repeatedPage(bench));
  done(await filteredReads(bench, { sql: true }));
  done(await analyses(bench));
  done(await pageSteps(bench));
  done(await programs(bench));
  await readDone();
  await grow(small);
  if (!quick) done(await filteredReads(bench, { sql: true }));
  await readDone();
  done(await analysesAfterStart(bench));
  await grow(middle);
  done(await filteredReads(bench, { sql: !quick }));
  done(await differentPages(bench));
  done(await analyses(bench));
  done(await pageSteps(bench));
  if (!quick) {
    await grow(large);
    done(await filteredReads(bench, { sql: true }));
    done(await analyses(bench));
    done(await pageSteps(bench));
    done(await programs(bench));
    done(await differentPages(bench));
  }
  done(await deepPages(bench));
  await readDone();
  done(newReplicaPart(replicaRows));
  await dataset.close();
  await stack.stop();
  running = undefined;
}

const settings = {
  seed,
  run: values.traces ? 'traces' : values.cost ? 'cost' : values.overload ? 'overload' : quick ? 'quick' : 'whole',
  PostgreSQL: 'embedded, shared_buffers 64 MB, JIT off',
};
const report = { startedAt, machine, settings, parts };
writeReport(out, report);
console.log(markdown(report));
