/**
 * Measures how long an approved record takes to become public, with single approvals in sequence on a running stack.
 *
 *   node bench/approve-to-visible.ts [--url http://localhost:8080] [--data-dir .esd] [--count 500] [--reads 1000]
 *
 * --reads makes wrk read that many pages per second at the same time; the stack needs ESD_RATE_LIMITS=off.
 * Prints Markdown, then JSON. The submitted records stay in the dataset.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { quantile } from './load.ts';
import { type Part, partMarkdown } from './report.ts';

const TOO_LATE_MS = 10_000;
const MOST = 1_000;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8080' },
    'data-dir': { type: 'string', default: '.esd' },
    count: { type: 'string', default: '500' },
    reads: { type: 'string', default: '0' },
  },
});
const { url } = values;
const count = z.coerce.number().int().min(1).max(MOST).parse(values.count);

const readsASecond = z.coerce.number().int().min(0).parse(values.reads);

const page = z.object({ total: z.int(), data: z.array(z.object({ recordId: z.int() })) });
const outcome = z.object({ records: z.array(z.object({ recordId: z.int() })) });

const credentials = z.looseObject({}).parse(JSON.parse(readFileSync(join(values['data-dir'], 'admin.json'), 'utf8')));
const { token } = z.object({ token: z.string() }).parse(await post('/auth/login', credentials));
const record = { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } };
const submission = { experimentData: Array.from({ length: count }, () => record) };
const { records } = outcome.parse(await post('/data/submit', submission, token));
const { total } = await readPage(0);

const reading = readsASecond > 0 ? startReads() : undefined;
const answered: number[] = [];
const visible: number[] = [];
for (const [index, { recordId }] of records.entries()) {
  const sent = performance.now();
  const approved = post(`/moderation/records/${recordId}/approve`, {}, token).then(() => performance.now() - sent);
  // The newest record has the highest id, so it comes last.
  const seen = untilVisible(total + index, recordId, sent);
  answered.push(await approved);
  visible.push(await seen);
}

reading?.kill();

const part: Part = {
  title: 'From an approval to the public dataset',
  notes: [
    `${count} approvals in sequence. Time from sending an approval until GET /public/dataset, polled without a pause, returns the record.`,
    ...(reading ? [`At the same time wrk reads about ${readsASecond} other pages per second.`] : []),
  ],
  rows: [timesRow('approval answered', answered), timesRow('record public', visible)],
  targets: [{ what: 'approve → public, p99 ms', measured: quantile(visible.toSorted(ascending), 0.99), atMost: 100 }],
};
console.log(partMarkdown(part));
console.log(JSON.stringify(part));

function startReads(): ChildProcess {
  const script = join(import.meta.dirname, 'paced-reads.lua');
  const options = ['-t', '1', '-c', '32', '-d', '3600s', '--timeout', '30s', '-s', script, url];
  return spawn('wrk', [...options, '--', String(readsASecond)], { stdio: 'ignore' });
}

async function post(path: string, body: object, bearer?: string): Promise<unknown> {
  const answer = await request(url + path, { method: 'POST', body, ...(bearer === undefined ? {} : { bearer }) });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

async function readPage(skip: number): Promise<z.output<typeof page>> {
  const answer = await request(`${url}/public/dataset?skip=${skip}&limit=1`);
  if (answer.status !== 200) throw new Error(`GET /public/dataset: ${answer.status} ${answer.text}`);
  return page.parse(answer.json);
}

async function untilVisible(skip: number, recordId: number, sent: number): Promise<number> {
  for (;;) {
    const { data } = await readPage(skip);
    const ms = performance.now() - sent;
    if (data[0]?.recordId === recordId) return ms;
    if (ms > TOO_LATE_MS) throw new Error(`record ${recordId} is not public after ${TOO_LATE_MS} ms`);
  }
}

function timesRow(what: string, times: readonly number[]): Part['rows'][number] {
  const sorted = times.toSorted(ascending);
  return {
    what,
    'p50 ms': quantile(sorted, 0.5),
    'p95 ms': quantile(sorted, 0.95),
    'p99 ms': quantile(sorted, 0.99),
    'max ms': quantile(sorted, 1),
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
