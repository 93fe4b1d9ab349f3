import type { Bench } from './bench.ts';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

const RUNS = 20;
const THREAD = 'dataset-svc main thread';

/** The parameters of each analysis besides its filter, and its maximum milliseconds at a million records. */
export const ANALYSES = {
  facets: { parameters: '', atMost: 50 },
  histogram: { parameters: 'feature=fiberDiameter&scale=log', atMost: 50 },
  statistics: { parameters: '', atMost: 200 },
  grid: { parameters: 'x=voltage&y=tipDist', atMost: 200 },
  nearest: { parameters: 'recipe={"polymer":"PVDF","voltage":15,"flowRate":1,"tipDist":15}', atMost: 60 },
  points: { parameters: 'x=voltage&y=fiberDiameter&color=polymer', atMost: undefined },
  coverage: { parameters: '', atMost: undefined },
} as const;

/** Measures each analysis over about two thirds of the records. No filter is used twice. */
export async function analyses({ stack, dataset, meter }: Bench): Promise<Part> {
  const size = dataset.size();
  const rows: Row[] = [];
  const targets: Part['targets'] = [];
  for (const [name, { parameters, atMost }] of Object.entries(ANALYSES)) {
    const ask = async (number: number): Promise<void> => {
      const filter = encodeURIComponent(JSON.stringify({ tipDistMin: lowest(number) }));
      const url = `${stack.url}/public/dataset/${name}?${encodeURI(parameters)}&filter=${filter}`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    };
    // Warms up and fills the caches of the dataset revision.
    await timesOf(5, 1, (number) => ask(1_000 + number));
    const before = (await meter()).get(THREAD) ?? 0;
    const times = await timesOf(RUNS, 1, ask);
    const used = ((await meter()).get(THREAD) ?? 0) - before;
    rows.push({
      analysis: name,
      'p50 ms': quantile(times, 0.5),
      'p95 ms': quantile(times, 0.95),
      'processor ms': used / RUNS,
    });
    if (atMost !== undefined && size >= 1_000_000) {
      targets.push({ what: `${name} at ${size} records, p95 ms`, measured: quantile(times, 0.95), atMost });
    }
  }
  return {
    title: `Analyses, ${size} records`,
    notes: [
      `Each analysis runs ${RUNS} times in sequence through the gateway, each time with a new filter.`,
      'Processor time is that of the main thread of dataset-svc (0 if it cannot be measured).',
    ],
    rows,
    targets,
  };
}

/** Returns a distinct bound for a filter, between two distances that occur in the records. */
function lowest(number: number): number {
  return 11 + number / 10_000;
}
