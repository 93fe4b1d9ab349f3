import type { Bench } from './bench.ts';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { openSqlAnalyses } from './sql-analyses.ts';
import { timesOf } from './times-of.ts';

const RUNS = 20;
const THREAD = 'dataset-svc main thread';

interface Measured {
  parameters: string;
  /** A condition of the filter in addition to the one that differs by request. */
  filter?: object;
  /** Maximum milliseconds at a million records. */
  atMost?: number;
  /** The row whose time it must at most double. */
  doubles?: string;
}

const WINDOW = 'x=voltage&y=tipDist';
const THIN = { fiberDiameterMax: 500 };

/** The analyses by row: the name of the endpoint, and what distinguishes the row. */
export const ANALYSES: Readonly<Record<string, Measured>> = {
  // The same rows as in SQL.
  facets: { parameters: 'repeats=all', atMost: 50 },
  histogram: { parameters: 'feature=fiberDiameter&scale=log&repeats=all', atMost: 50 },
  statistics: { parameters: 'repeats=all', atMost: 200 },
  grid: { parameters: `${WINDOW}&repeats=all`, atMost: 200 },
  nearest: { parameters: 'recipe={"polymer":"PVDF","voltage":15,"flowRate":1,"tipDist":15}', atMost: 60 },
  points: { parameters: 'x=voltage&y=fiberDiameter&color=polymer' },
  coverage: { parameters: '' },
  summary: { parameters: '', filter: THIN, atMost: 200 },
  papers: { parameters: '', atMost: 200 },
  'facets, once': { parameters: '', doubles: 'facets' },
  'facets, thin fibers': { parameters: '', filter: THIN },
  'facets, tried': { parameters: 'tried=true', filter: THIN, doubles: 'facets, thin fibers' },
  'grid, thin fibers': { parameters: WINDOW, filter: THIN },
  'grid, tried': { parameters: `${WINDOW}&tried=true`, filter: THIN, doubles: 'grid, thin fibers' },
  'statistics, per paper': { parameters: 'perPaper=true' },
};
const SMALL_AT_MOST = 5;

/** Returns the path of an analysis, with a filter by the smallest distance. */
export function analysisPath(name: string, tipDistMin: number): string {
  const { parameters = '', filter: others } = ANALYSES[name] ?? {};
  const filter = encodeURIComponent(JSON.stringify({ tipDistMin, ...others }));
  return `/public/dataset/${name.split(',', 1)[0]}?${encodeURI(parameters)}&filter=${filter}`;
}

/**
 * Measures each analysis over about two thirds of the records, and four of them also in SQL. No filter is used twice.
 */
export async function analyses({ stack, dataset, meter }: Bench): Promise<Part> {
  const size = dataset.size();
  const rows: Row[] = [];
  const targets: Part['targets'] = [];
  const p95 = new Map<string, number>();
  const sql = await openSqlAnalyses(stack.url);
  for (const [name, { atMost, doubles }] of Object.entries(ANALYSES)) {
    const urlOf = (number: number): string => stack.url + analysisPath(name, lowest(number));
    const send = async (number: number): Promise<void> => {
      const status = await statusOf(urlOf(number));
      if (status !== 200) throw new Error(`${urlOf(number)}: ${status}`);
    };
    // A baseline can lack an analysis or a parameter.
    if ([400, 404].includes(await statusOf(urlOf(2_000)))) continue;
    // Warms up and fills the caches of the dataset revision.
    await timesOf(5, 1, (number) => send(1_000 + number));
    const before = (await meter()).get(THREAD) ?? 0;
    const times = await timesOf(RUNS, 1, send);
    const used = ((await meter()).get(THREAD) ?? 0) - before;
    rows.push({
      analysis: name,
      'p50 ms': quantile(times, 0.5),
      'p95 ms': quantile(times, 0.95),
      'processor ms': used / RUNS,
      ...(await inSql(sql.analysis(name))),
    });
    const measured = quantile(times, 0.95);
    p95.set(name, measured);
    const what = `${name} at ${size} records, p95 ms`;
    const single = p95.get(doubles ?? '');
    if (size < 1_000) targets.push({ what, measured, atMost: SMALL_AT_MOST });
    else if (size >= 1_000_000 && atMost !== undefined) targets.push({ what, measured, atMost });
    else if (size >= 1_000_000 && single !== undefined) targets.push({ what, measured, atMost: 2 * single });
  }
  sql.close();
  return {
    title: `Analyses, ${size} records`,
    notes: [
      `Each analysis runs ${RUNS} times in sequence through the gateway, each time with a new filter.`,
      'Processor time is that of the main thread of dataset-svc (0 if it cannot be measured).',
      'DuckDB: the same analysis in SQL, with the records in the memory of this process and all of its cores; without HTTP.',
    ],
    rows,
    targets,
  };
}

async function inSql(run: ((tipDistMin: number) => Promise<unknown>) | undefined): Promise<Row> {
  if (run === undefined) return {};
  await timesOf(5, 1, (number) => run(lowest(1_000 + number)));
  const before = process.cpuUsage();
  const times = await timesOf(RUNS, 1, (number) => run(lowest(number)));
  const { user, system } = process.cpuUsage(before);
  return { 'DuckDB p50 ms': quantile(times, 0.5), 'DuckDB processor ms': (user + system) / 1_000 / RUNS };
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  await response.arrayBuffer();
  return response.status;
}

/** Returns a distinct bound for a filter, between two distances that occur in the records. */
function lowest(number: number): number {
  return 11 + number / 10_000;
}
