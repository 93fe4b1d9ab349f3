import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareServer } from './bare-server.ts';
import type { Bench } from './bench.ts';
import { DATASETTE_PAGE, startDatasette } from './datasette.ts';
import { type Contender, inRounds, type Load, loadColumns } from './load.ts';
import { processorTimeOf } from './process-cost.ts';
import type { Part, Row } from './report.ts';

export const BARE = 'bare node:http';
const CONNECTIONS = 32;
const PAGE = `/public/dataset?limit=100`;

/** Measures repeated reads of one page of 100 records, compared with a bare server that sends the same bytes and with Datasette. */
export async function repeatedPage({ stack, dataset, seconds, rounds, meter }: Bench): Promise<Part> {
  const url = `${stack.url}${PAGE}`;
  const answer = await fetchAnswer(url);
  const folder = await mkdtemp(join(tmpdir(), 'esd-bench-'));
  const bare = await startBareServer(answer);
  const datasette = await startDatasette(dataset.demo, folder);
  try {
    const same = { connections: CONNECTIONS, seconds };
    const contenders: Contender[] = [
      { name: BARE, url: bare.url, ...same, meter: () => processorTimeOf(BARE, bare.pid) },
      { name: 'gateway', url, ...same, meter },
      { name: 'gateway, gzip', url, ...same, meter, headers: { 'accept-encoding': 'gzip' } },
      { name: 'gateway, 304', url, ...same, meter, headers: { 'if-none-match': answer.tag }, status: 304 },
    ];
    if (typeof datasette !== 'string')
      contenders.push({ name: 'Datasette', url: datasette.url + DATASETTE_PAGE, ...same });
    const loads = await inRounds(rounds, contenders);
    const rows = rowsBeside(BARE, loads);
    if (typeof datasette === 'string') rows.push({ server: 'Datasette', 'requests/s': datasette });
    const ratio = (to: string): number => perSecond(loads, 'gateway') / perSecond(loads, to);
    return {
      title: `The same page of 100 records, ${dataset.size()} records`,
      notes: [
        `${CONNECTIONS} connections, ${seconds} s each, median of ${rounds} alternating rounds; the bare server sends the gateway's response (${answer.body.length} bytes) from memory.`,
        'Datasette 0.65: the flattened records in one immutable SQLite table, without suggested facets, a page of 100 as JSON objects.',
      ],
      rows,
      targets: [
        { what: 'repeated page, share of bare node:http', measured: ratio(BARE), atLeast: 0.6 },
        ...(loads.has('Datasette')
          ? [{ what: 'repeated page, multiple of Datasette', measured: ratio('Datasette'), atLeast: 60 }]
          : []),
      ],
    };
  } finally {
    await bare.stop();
    if (typeof datasette !== 'string') await datasette.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures distinct pages of 100 records, compared with a bare server that sends the bytes of one of them. */
export async function differentPages({ stack, dataset, seconds, rounds, meter }: Bench): Promise<Part> {
  const answer = await fetchAnswer(`${stack.url}${PAGE}&skip=${Math.floor(dataset.size() / 2)}`);
  const bare = await startBareServer(answer);
  try {
    const nextPath = differentSkips(dataset.size());
    const same = { connections: CONNECTIONS, seconds };
    const loads = await inRounds(rounds, [
      { name: BARE, url: bare.url, ...same, meter: () => processorTimeOf(BARE, bare.pid) },
      { name: 'gateway', url: stack.url, nextPath, ...same, meter },
    ]);
    return {
      title: `Pages of 100 records, all different, ${dataset.size()} records`,
      notes: [
        `${CONNECTIONS} connections, ${seconds} s each, median of ${rounds} alternating rounds; each page has a different skip, spread over the dataset.`,
      ],
      rows: rowsBeside(BARE, loads),
      targets:
        dataset.size() > 100_000
          ? []
          : [
              {
                what: `different pages at ${dataset.size()} records, share of ${BARE}`,
                measured: perSecond(loads, 'gateway') / perSecond(loads, BARE),
                atLeast: 0.15,
              },
            ],
    };
  } finally {
    await bare.stop();
  }
}

/** Returns a generator of paths with distinct skips, in an order that jumps over the whole dataset. */
function differentSkips(size: number): () => string {
  const positions = size - 100;
  // A prime stride that does not divide the number of positions visits each position once.
  const stride = 611_953;
  let requests = 0;
  return () => {
    if (requests === positions) throw new Error(`${size} records have only ${positions} different pages`);
    requests += 1;
    return `${PAGE}&skip=${(requests * stride) % positions}`;
  };
}

export async function fetchAnswer(
  url: string,
): Promise<{ headers: Record<string, string>; body: Uint8Array; tag: string }> {
  const response = await fetch(url, {
    headers: { 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(30_000),
  });
  const tag = response.headers.get('etag');
  if (!response.ok || tag === null) throw new Error(`${url} returned ${response.status}`);
  // The bare server sends the same headers, except those that Node adds itself.
  const own = ['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)));
  return { headers, body: await response.bytes(), tag };
}

function rowsBeside(baseline: string, loads: ReadonlyMap<string, Load>): Row[] {
  return [...loads].map(([server, load]) => ({
    server,
    [`of ${baseline}`]: load.perSecond / perSecond(loads, baseline),
    'bytes per response': Math.round(load.bytes),
    ...loadColumns(load),
  }));
}

function perSecond(loads: ReadonlyMap<string, Load>, name: string): number {
  return loads.get(name)?.perSecond ?? NaN;
}
