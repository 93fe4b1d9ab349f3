import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareServer } from './bare-server.ts';
import type { Bench } from './bench.ts';
import { DATASETTE_PAGE, startDatasette } from './datasette.ts';
import { recordData } from './generated-records.ts';
import { type Contender, load, loadColumns, quantile } from './load.ts';
import { BARE, fetchAnswer } from './page-reads.ts';
import { processorTimeOf } from './process-cost.ts';
import { seeded } from './random.ts';
import { randomFilters } from './random-filters.ts';
import type { Part, Row } from './report.ts';
import { fillTable, startSqlServer } from './sql-server.ts';

const TOGETHER = 32;
const SAMPLE = 100;
const SQL = 'Express and SQL';
const DATASETTE = 'Datasette';

/**
 * Measures first pages of filters that are never repeated, one at a time and 32 concurrently. Compares them with a bare server that sends the
 * same number of bytes, with plain SQL (range filters only) and, on the demo dataset, with Datasette (range filters only).
 */
export async function filteredReads(bench: Bench, options: { sql: boolean }): Promise<Part> {
  const { stack, dataset, seconds, rounds, seed, meter } = bench;
  const pathsOf = (texts?: number) => {
    const next = randomFilters(dataset.demo, dataset.references, seed, texts);
    return (): string => `/public/dataset?filter=${encodeURIComponent(next())}`;
  };
  const nextPath = pathsOf();
  const totals: number[] = [];
  // The sample also warms up.
  let bytes = 0;
  for (let sample = 0; sample < SAMPLE; sample += 1) {
    const { total, length } = await firstPage(`${stack.url}${nextPath()}`);
    totals.push(total);
    bytes += length / SAMPLE;
  }
  totals.sort((a, b) => a - b);
  const size = dataset.size();
  const contenders: (Omit<Contender, 'connections' | 'seconds'> & { filters: string })[] = [
    { name: 'gateway', filters: 'mixed', url: stack.url, nextPath, meter },
    { name: 'gateway', filters: 'ranges', url: stack.url, nextPath: pathsOf(0), meter },
  ];
  const sql = options.sql ? await plainSql(bench) : undefined;
  if (sql) {
    const cost = () => processorTimeOf(SQL, sql.pid);
    contenders.push({ name: SQL, filters: 'ranges', url: sql.url, nextPath: pathsOf(0), meter: cost });
  }
  const answer = await fetchAnswer(`${stack.url}/public/dataset?limit=100`);
  const bare = await startBareServer({ ...answer, body: answer.body.subarray(0, Math.round(bytes)) });
  contenders.push({ name: BARE, filters: '', url: bare.url, meter: () => processorTimeOf(BARE, bare.pid) });
  const folder = await mkdtemp(join(tmpdir(), 'esd-bench-'));
  const datasette = size === dataset.demo.length ? await startDatasette(dataset.demo, folder) : undefined;
  if (typeof datasette === 'object') {
    contenders.push({ name: DATASETTE, filters: 'ranges', url: datasette.url, nextPath: datasetteFilters(seed) });
  }
  const rows: Row[] = [];
  const measured = new Map<string, Awaited<ReturnType<typeof load>>>();
  try {
    for (const connections of [1, TOGETHER]) {
      for (const contender of contenders) {
        const { name, filters } = contender;
        const one = await load({ ...contender, connections, seconds: (seconds * rounds) / 2 });
        measured.set(`${name}, ${filters}, ${connections}`, one);
        rows.push({ server: name, filters, connections, requests: one.requests, ...loadColumns(one) });
      }
    }
  } finally {
    await Promise.all([sql?.stop(), bare.stop(), typeof datasette === 'object' ? datasette.stop() : undefined]);
    await rm(folder, { recursive: true, force: true });
  }
  const alone = measured.get('gateway, mixed, 1')?.p95 ?? NaN;
  const perSecond = (name: string): number => measured.get(`${name}, ${TOGETHER}`)?.perSecond ?? NaN;
  const together = perSecond('gateway, mixed');
  const targets: Part['targets'] =
    size >= 1_000_000
      ? [
          { what: `filtered page at ${size} records, one at a time, p95 ms`, measured: alone, atMost: 8 },
          {
            what: `filtered pages at ${size} records, ${TOGETHER} concurrent, per s`,
            measured: together,
            atLeast: 500,
          },
        ]
      : [
          {
            what: `filtered pages at ${size} records, ${TOGETHER} concurrent, share of ${BARE}`,
            measured: together / perSecond(`${BARE}, `),
            atLeast: 0.12,
          },
        ];
  if (typeof datasette === 'object') {
    const ratio = perSecond('gateway, ranges') / perSecond(`${DATASETTE}, ranges`);
    targets.push({ what: `filtered pages at ${size} records, multiple of Datasette`, measured: ratio, atLeast: 8 });
  }
  const share = (of: number): string => `${Math.round((100 * of) / SAMPLE)} %`;
  return {
    title: `Filtered pages, ${size} records`,
    notes: [
      `First page of 100 for filters of one to three conditions, each filter used once (a single text condition can recur in another filter); ${(seconds * rounds) / 2} s each.`,
      `Of ${SAMPLE} such filters ${share(totals.filter((one) => one === 0).length)} match nothing, ${share(totals.filter((one) => one > size / 20).length)} match more than 5 % of the records; the median is ${quantile(totals, 0.5)}.`,
      `${BARE}: the same page of ${Math.round(bytes)} bytes for each request, the average size of those responses.`,
      `${SQL}: a table with a btree per feature in the same PostgreSQL, with parallel queries for count and page; its processor time excludes PostgreSQL.`,
    ],
    rows,
    targets,
  };
}

async function plainSql({ stack, dataset, seed }: Bench) {
  const connection = stack.databaseUrl('esd_dataset');
  await fillTable(connection, dataset.size(), (id) => recordData(dataset.demo, id, seed), dataset.references);
  return startSqlServer(connection);
}

async function firstPage(url: string): Promise<{ total: number; length: number }> {
  const response = await fetch(url, {
    headers: { 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const page: unknown = JSON.parse(text);
  if (typeof page !== 'object' || page === null || !('total' in page)) throw new Error(`${url}: ${response.status}`);
  return { total: Number(page.total), length: Buffer.byteLength(text) };
}

/** Returns a generator of Datasette paths with random ranges of voltage and tip-collector distance. */
function datasetteFilters(seed: number): () => string {
  const random = seeded(seed);
  const range = (column: string, least: number, width: number): string => {
    const low = least + width * random.next();
    return `&${column}__gte=${low}&${column}__lte=${low + width * random.next()}`;
  };
  const columns = ['voltage', 'tip_collector_distance'];
  return () => `${DATASETTE_PAGE}${columns.map((column) => range(column, 5, 15)).join('')}`;
}
