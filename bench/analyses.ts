import type { Bench } from './bench.ts';
import { type AnalysisTable, fillAnalysisTable } from './duckdb-analyses.ts';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

const ASKED = 20;
/** As the meter calls it. */
const THREAD = 'dataset-svc main thread';

/** The parameters of each analysis besides its filter, and the most milliseconds that it may take at a million records. */
const ANALYSES = {
  facets: { parameters: '', atMost: 50 },
  histogram: { parameters: 'feature=fiberDiameter&scale=log', atMost: 50 },
  statistics: { parameters: '', atMost: 200 },
  grid: { parameters: 'x=voltage&y=tipDist', atMost: 200 },
  nearest: { parameters: 'recipe={"polymer":"PVDF","voltage":15,"flowRate":1,"tipDist":15}', atMost: 150 },
  points: { parameters: 'x=voltage&y=fiberDiameter&color=polymer', atMost: undefined },
  coverage: { parameters: '', atMost: undefined },
} as const;

export type AnalysisName = keyof typeof ANALYSES;

/** Each analysis over some two thirds of the records, by filters none of which comes twice, beside SQL for the same in DuckDB. */
export async function analyses({ stack, dataset, seed, meter }: Bench): Promise<Part> {
  const size = dataset.size();
  const table = await fillAnalysisTable(dataset, seed);
  const rows: Row[] = [];
  const targets: Part['targets'] = [];
  try {
    for (const [name, { parameters, atMost }] of Object.entries(ANALYSES)) {
      const ask = async (number: number): Promise<void> => {
        const filter = encodeURIComponent(JSON.stringify({ tipDistMin: lowest(number) }));
        const url = `${stack.url}/public/dataset/${name}?${encodeURI(parameters)}&filter=${filter}`;
        const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
      };
      // What is computed once a revision, and warms up.
      await timesOf(5, 1, (number) => ask(1_000 + number));
      const before = (await meter()).get(THREAD) ?? 0;
      const times = await timesOf(ASKED, 1, ask);
      const used = ((await meter()).get(THREAD) ?? 0) - before;
      const sql = await sqlTimes(table, name);
      rows.push({
        analysis: name,
        'p50 ms': quantile(times, 0.5),
        'p95 ms': quantile(times, 0.95),
        'processor ms': used / ASKED,
        'DuckDB p50 ms': quantile(sql.times, 0.5),
        'DuckDB p95 ms': quantile(sql.times, 0.95),
        'DuckDB processor ms': sql.processorMs,
      });
      if (atMost !== undefined && size >= 1_000_000) {
        targets.push({ what: `${name} at ${size} records, p95 ms`, measured: quantile(times, 0.95), atMost });
      }
    }
  } finally {
    table.close();
  }
  return {
    title: `Analyses, ${size} records`,
    notes: [
      `Each ${ASKED} times, one at a time, through the gateway, with a filter that was not asked before.`,
      'Processor time is that of the main thread of dataset-svc (0 where it cannot be measured), and of DuckDB.',
      'DuckDB: SQL for the same numbers over a table in memory, in one thread, without HTTP and JSON; `nearest` without its reliability.',
    ],
    rows,
    targets,
  };
}

/** Bounds of filters: each another one, all between two distances that records have. */
function lowest(number: number): number {
  return 11 + number / 10_000;
}

async function sqlTimes(table: AnalysisTable, name: string): Promise<{ times: number[]; processorMs: number }> {
  await table.ask(name, lowest(1_000));
  const before = process.cpuUsage();
  const times = await timesOf(ASKED, 1, (number) => table.ask(name, lowest(number)));
  const { user, system } = process.cpuUsage(before);
  return { times, processorMs: (user + system) / 1_000 / ASKED };
}
