import type { Bench } from './bench.ts';
import { quantile } from './load.ts';
import type { Part, Row } from './report.ts';
import { timesOf } from './times-of.ts';

const RUNS = 20;
const CALLS = 200;
const FEED = 'feed of 50 records';

/** A request of a program: its path, and for a tool of /mcp its name and arguments. `number` makes it differ from all others. */
type Asked = (number: number) => { path: string; tool?: { name: string; arguments: object } };

const filterOf = (number: number) => ({ tipDistMin: 11 + number / 10_000 });
const toolCall =
  (name: string, argumentsOf: (number: number) => object): Asked =>
  (number) => ({ path: '/mcp', tool: { name, arguments: argumentsOf(number) } });

const NEW: Readonly<Record<string, Asked>> = {
  [FEED]: (number) => ({ path: `/feeds/records.atom?filter=${encodeURIComponent(JSON.stringify(filterOf(number)))}` }),
  search_records: toolCall('search_records', (number) => ({ filter: filterOf(number) })),
  summarize: toolCall('summarize', (number) => ({ filter: filterOf(number) })),
};
const REPEATED: Readonly<Record<string, Asked>> = {
  [`${FEED}, cached`]: () => ({ path: '/feeds/records.atom' }),
  'search_records, the same': toolCall('search_records', () => ({ filter: filterOf(1) })),
  'summarize, cached': toolCall('summarize', () => ({ filter: filterOf(1) })),
};

/** Measures feeds and tools of the Model Context Protocol: new requests one by one, and repeated ones for the processor time of the gateway. */
export async function programs({ stack, dataset, meter }: Bench): Promise<Part> {
  const size = dataset.size();
  const send = async ({ path, tool }: ReturnType<Asked>): Promise<void> => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool };
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) };
    const answer = await fetch(stack.url + path, { ...(tool ? post : {}), signal: AbortSignal.timeout(60_000) });
    const text = await answer.text();
    if (answer.status !== 200 || text.includes('"isError":true')) throw new Error(`${path}: ${answer.status} ${text}`);
  };
  const measured = async (name: string, asked: Asked, runs: number): Promise<Row> => {
    const ask = (number: number) => send(asked(number));
    await timesOf(5, 1, (number) => ask(1_000 + number));
    const before = (await meter()).get('gateway') ?? 0;
    const times = await timesOf(runs, 1, ask);
    const used = ((await meter()).get('gateway') ?? 0) - before;
    return {
      request: name,
      'p50 ms': quantile(times, 0.5),
      'p95 ms': quantile(times, 0.95),
      'requests/s on one core of the gateway': (1_000 * runs) / used,
    };
  };
  const rows: Row[] = [];
  for (const [name, asked] of Object.entries(NEW)) rows.push(await measured(name, asked, RUNS));
  for (const [name, asked] of Object.entries(REPEATED)) rows.push(await measured(name, asked, CALLS));
  const ofFeed = Number(rows.find(({ request }) => request === FEED)?.['p95 ms']);
  const atMost = size >= 1_000_000 ? 150 : 50;
  return {
    title: `Feeds and tools for assistants, ${size} records`,
    notes: [
      `New requests: ${RUNS} in sequence, each with a new filter. Others: ${CALLS} in sequence. Processor time covers all threads of the gateway.`,
    ],
    rows,
    targets: [{ what: `${FEED} at ${size} records, p95 ms`, measured: ofFeed, atMost }],
  };
}
