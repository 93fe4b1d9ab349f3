import type { Bench } from './bench.ts';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

const RUNS = 20;

/** The steps of a user at /explore. Each is one request to the URL of the page. */
const STEPS = {
  'open the page': { accept: 'text/html', parts: '' },
  'choose a range: overview': { accept: 'application/json', parts: '' },
  'sort or turn the page: table': { accept: 'application/json', parts: '&sort=-fiberDiameter&parts=records' },
  'other axes: window': { accept: 'application/json', parts: '&parts=grid' },
  'other axes: scatter': { accept: 'application/json', parts: '&parts=points' },
} as const;

/** Measures the steps at /explore without the rendering in the browser. No filter is used twice. */
export async function pageSteps({ stack, dataset }: Bench): Promise<Part> {
  const size = dataset.size();
  const atMost = size >= 1_000_000 ? 300 : 100;
  const rows: Row[] = [];
  const targets: Part['targets'] = [];
  for (const [step, { accept, parts }] of Object.entries(STEPS)) {
    const ask = async (number: number): Promise<void> => {
      const url = `${stack.url}/explore?tipDistMin=${11 + number / 10_000}${parts}`;
      const answer = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(60_000) });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    };
    await timesOf(5, 1, (number) => ask(1_000 + number));
    const times = await timesOf(RUNS, 1, ask);
    rows.push({ step, 'p50 ms': quantile(times, 0.5), 'p95 ms': quantile(times, 0.95) });
    targets.push({ what: `${step}, at ${size} records, p95 ms`, measured: quantile(times, 0.95), atMost });
  }
  return {
    title: `Steps at /explore, ${size} records`,
    notes: [
      `Each step runs ${RUNS} times in sequence, each time with a new filter; the rendering in the browser is not included.`,
    ],
    rows,
    targets,
  };
}
