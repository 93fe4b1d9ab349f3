import type { Bench } from './bench.ts';
import { recordData } from './generated-records.ts';
import { type Contender, load, loadColumns, quantile } from './load.ts';
import { processorTimeOf } from './process-cost.ts';
import { randomFilters } from './random-filters.ts';
import type { Part, Row } from './report.ts';
import { fillTable, startSqlServer } from './sql-server.ts';

const TOGETHER = 32;
const SAMPLE = 100;
const SQL = 'Express and SQL';

/** First pages of filters that never come twice, one at a time and 32 at once, beside plain SQL for those that are ranges alone. */
export async function filteredReads(bench: Bench, options: { targets: boolean; sql: boolean }): Promise<Part> {
  const { stack, dataset, seconds, rounds, seed, meter } = bench;
  const pathsOf = (texts?: number) => {
    const next = randomFilters(dataset.demo, dataset.references, seed, texts);
    return (): string => `/public/dataset?filter=${encodeURIComponent(next())}`;
  };
  const nextPath = pathsOf();
  const totals: number[] = [];
  // Also warms up.
  for (let asked = 0; asked < SAMPLE; asked += 1) totals.push(await total(`${stack.url}${nextPath()}`));
  totals.sort((a, b) => a - b);
  const size = dataset.size();
  const contenders: (Omit<Contender, 'connections' | 'seconds'> & { filters: string })[] = [
    { name: 'gateway', filters: 'of all kinds', url: stack.url, nextPath, meter },
    { name: 'gateway', filters: 'ranges', url: stack.url, nextPath: pathsOf(0), meter },
  ];
  const sql = options.sql ? await plainSql(bench) : undefined;
  if (sql) {
    const cost = () => processorTimeOf(SQL, sql.pid);
    contenders.push({ name: SQL, filters: 'ranges', url: sql.url, nextPath: pathsOf(0), meter: cost });
  }
  const rows: Row[] = [];
  const measured = new Map<string, Awaited<ReturnType<typeof load>>>();
  try {
    for (const connections of [1, TOGETHER]) {
      for (const contender of contenders) {
        const { name, filters } = contender;
        const one = await load({ ...contender, connections, seconds: (seconds * rounds) / 2 });
        measured.set(`${name}, ${filters}, ${connections}`, one);
        rows.push({ server: name, filters, 'at once': connections, requests: one.requests, ...loadColumns(one) });
      }
    }
  } finally {
    await sql?.stop();
  }
  const alone = measured.get('gateway, of all kinds, 1')?.p95 ?? NaN;
  const together = measured.get(`gateway, of all kinds, ${TOGETHER}`)?.perSecond ?? NaN;
  const share = (of: number): string => `${Math.round((100 * of) / SAMPLE)} %`;
  return {
    title: `Filtered pages, ${size} records`,
    notes: [
      `First page of 100 for filters of one to three conditions, none of which comes twice (single conditions on a text may come again inside another filter); ${(seconds * rounds) / 2} s each.`,
      `Of ${SAMPLE} such filters ${share(totals.filter((one) => one === 0).length)} match nothing, ${share(totals.filter((one) => one > size / 20).length)} match more than 5 % of the records; the median is ${quantile(totals, 0.5)}.`,
      `${SQL}: a table with a btree for each feature in the same PostgreSQL, count and page asked for at once; its processor time is without PostgreSQL's.`,
    ],
    rows,
    targets: options.targets
      ? [
          { what: `filtered page at ${size} records, one at a time, p95 ms`, measured: alone, atMost: 20 },
          {
            what: `filtered pages at ${size} records, ${TOGETHER} at once, per s`,
            measured: together,
            atLeast: 250,
          },
        ]
      : [],
  };
}

async function plainSql({ stack, dataset, seed }: Bench) {
  const connection = stack.databaseUrl('esd_dataset');
  await fillTable(connection, dataset.size(), (id) => recordData(dataset.demo, id, seed), dataset.references);
  return startSqlServer(connection);
}

async function total(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const page: unknown = await response.json();
  if (typeof page !== 'object' || page === null || !('total' in page)) throw new Error(`${url}: ${response.status}`);
  return Number(page.total);
}
