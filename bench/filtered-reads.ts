import type { Bench } from './bench.ts';
import { load, loadColumns, quantile } from './load.ts';
import { randomFilters } from './random-filters.ts';
import type { Part } from './report.ts';

const AT_ONCE = 8;
const SAMPLE = 100;

/** First pages of filters that never come twice, one at a time and eight at once. */
export async function filteredReads(bench: Bench, options: { targets: boolean }): Promise<Part> {
  const { stack, dataset, seconds, rounds, seed, meter } = bench;
  const nextFilter = randomFilters(dataset.demo, dataset.references, seed);
  const nextPath = (): string => `/public/dataset?filter=${encodeURIComponent(nextFilter())}`;
  const totals: number[] = [];
  // Also warms up.
  for (let asked = 0; asked < SAMPLE; asked += 1) totals.push(await total(`${stack.url}${nextPath()}`));
  totals.sort((a, b) => a - b);
  const url = stack.url;
  const alone = await load({ url, connections: 1, seconds: seconds * rounds, nextPath, meter });
  const together = await load({ url, connections: AT_ONCE, seconds: seconds * rounds, nextPath, meter });
  const size = dataset.size();
  const share = (of: number): string => `${Math.round((100 * of) / SAMPLE)} %`;
  return {
    title: `Filtered pages, ${size} records`,
    notes: [
      `First page of 100 for filters of one to three conditions, none of which comes twice (single conditions on a text may come again inside another filter); ${seconds * rounds} s each.`,
      `Of ${SAMPLE} such filters ${share(totals.filter((one) => one === 0).length)} match nothing, ${share(totals.filter((one) => one > size / 20).length)} match more than 5 % of the records; the median is ${quantile(totals, 0.5)}.`,
    ],
    rows: [
      { 'at once': 1, filters: alone.requests, ...loadColumns(alone) },
      { 'at once': AT_ONCE, filters: together.requests, ...loadColumns(together) },
    ],
    targets: options.targets
      ? [
          { what: `filtered page at ${size} records, one at a time, p95 ms`, measured: alone.p95, atMost: 20 },
          { what: `filtered pages at ${size} records, 8 at once, per s`, measured: together.perSecond, atLeast: 250 },
        ]
      : [],
  };
}

async function total(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const page: unknown = await response.json();
  if (typeof page !== 'object' || page === null || !('total' in page)) throw new Error(`${url}: ${response.status}`);
  return Number(page.total);
}
