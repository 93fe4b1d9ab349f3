/**
 * What one client can do to another: the latency of an honest mix of requests alone, under each attack, and under three attacks
 * at once, with the memory of each process. The clients have addresses of their own, and the limits are on.
 *
 *   npm run bench -- attacks [--seconds 20] [--only feedback,images] [--checkout DIR]
 *
 * `--checkout`: the programs of another checkout run. Prints Markdown, then JSON.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startStack, type TestStack } from '@esd/testing/stack';
import { attacks, type Attacker } from './attacks.ts';
import { quantile } from './load.ts';
import { processMemory } from './process-cost.ts';
import { type Part, partMarkdown, type Row } from './report.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    checkout: { type: 'string' },
  },
});
const seconds = z.coerce.number().positive().parse(values.seconds);
const wanted = values.only === '' ? Object.keys(attacks) : values.only.split(',');
const PROCESSES = ['gateway', 'identity-svc', 'submission-svc', 'dataset-svc', 'media-svc', 'export-svc'];
const PAUSE_MS = 100;
const GIVE_UP_MS = 60_000;
// Each run has new addresses, so that the limits of a minute of the run before are not its own.
const attackerOf = (run: number): string => `198.51.100.${run + 1}`;
const honestOf = (run: number): string => `203.0.113.${run + 1}`;

const smallPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Timed {
  kind: string;
  ms: number;
  status: number;
}

const stack = await startStack({
  env: { ESD_RATE_LIMITS: 'on', ESD_TRUSTED_PROXIES: '1' },
  ...(values.checkout === undefined ? {} : { checkout: values.checkout }),
});
try {
  const part = await measure(stack);
  console.log(partMarkdown(part));
  console.log(JSON.stringify(part));
} finally {
  await stack.stop();
}

async function measure({ url, dataDir, pid }: TestStack): Promise<Part> {
  const account = z.object({ email: z.string(), password: z.string() });
  const contributor = account.parse(JSON.parse(await readFile(join(dataDir, 'contributor.json'), 'utf8')));
  const honestToken = await login(url, contributor, honestOf(0));
  const admin = account.parse(JSON.parse(await readFile(join(dataDir, 'admin.json'), 'utf8')));
  const attackerToken = await login(url, admin, attackerOf(0));
  const rows: Row[] = [];
  const runs: [string, string[]][] = [
    ['nobody', []],
    ...wanted.map((name): [string, string[]] => [name, [name]]),
    ...(wanted.length >= 3 ? [['three at once', wanted.slice(0, 3)] satisfies [string, string[]]] : []),
  ];
  for (const [run, [name, names]] of runs.entries()) {
    const attacker: Attacker = { url, token: attackerToken, headers: { 'X-Forwarded-For': attackerOf(run) } };
    const stopping = new AbortController();
    const running = names.map(async (one) => attacks[one]?.(attacker, stopping.signal));
    const memory = watchMemory(pid);
    const timed = await honestMix({ url, token: honestToken, address: honestOf(run) }, Date.now() + seconds * 1_000);
    stopping.abort();
    await Promise.allSettled(running);
    const most = await memory.end();
    rows.push({ attack: name, ...latency(timed), ...most });
    console.error(JSON.stringify(rows.at(-1)), JSON.stringify(byKind(timed)));
    await settle(url);
  }
  return {
    title: 'An honest client beside an attacker',
    notes: [
      `Each for ${seconds} s: one request after the other of six kinds (page, filtered page, csv export, submission of one record, small image, parse-excel of a csv) with a pause of ${PAUSE_MS} ms.`,
      'Failed: anything but 2xx. Memory: most resident MB of the processes during the attack.',
    ],
    rows,
    targets: [],
  };
}

async function honestMix(
  { url, token, address }: { url: string; token: string; address: string },
  until: number,
): Promise<Timed[]> {
  const timed: Timed[] = [];
  const headers = { 'X-Forwarded-For': address };
  const auth = { ...headers, authorization: `Bearer ${token}` };
  const get = (path: string) => fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(GIVE_UP_MS) });
  const form = (path: string, content: Uint8Array<ArrayBuffer>) => {
    const body = new FormData();
    body.set('file', new Blob([content]));
    return fetch(`${url}${path}`, { method: 'POST', body, headers: auth, signal: AbortSignal.timeout(GIVE_UP_MS) });
  };
  const csv = new TextEncoder().encode('polymer(s),voltage,voltage_unit\nPVA,12,kV\n');
  let turn = 0;
  const kinds: Record<string, () => Promise<Response>> = {
    page: () => get(`/public/dataset?limit=10&skip=${turn % 700}`),
    filter: () =>
      get(`/public/dataset?limit=10&filter=${encodeURIComponent(JSON.stringify({ voltageMin: turn / 1000 }))}`),
    csv: () => get(`/public/dataset/export?format=csv&filter=${encodeURIComponent('{"polymer":"PVA"}')}`),
    submit: () =>
      fetch(`${url}/data/submit`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json' },
        body: JSON.stringify({
          experimentData: [
            {
              polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
              processParameter: { voltage: turn / 1000, voltageUnit: 'kV' },
            },
          ],
        }),
        signal: AbortSignal.timeout(GIVE_UP_MS),
      }),
    image: () => form('/images/upload', new Uint8Array(smallPng)),
    sheet: () => form('/data/parse-excel', csv),
  };
  while (Date.now() < until) {
    for (const [kind, ask] of Object.entries(kinds)) {
      const started = performance.now();
      const status = await ask().then(
        async (answer) => {
          await answer.bytes();
          return answer.status;
        },
        () => 0,
      );
      timed.push({ kind, ms: performance.now() - started, status });
      turn += 1;
      // Writes have 60 a minute.
      await sleep(PAUSE_MS + (kind === 'submit' || kind === 'image' || kind === 'sheet' ? 1_000 : 0));
    }
  }
  return timed;
}

function latency(timed: readonly Timed[]): Row {
  const sorted = timed.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    requests: timed.length,
    failed: timed.filter(({ status }) => status < 200 || status > 299).length,
    'p50 ms': quantile(sorted, 0.5),
    'p95 ms': quantile(sorted, 0.95),
    'most ms': quantile(sorted, 1),
  };
}

function byKind(timed: readonly Timed[]): Record<string, string> {
  return Object.fromEntries(
    [...Map.groupBy(timed, ({ kind }) => kind)].map(([kind, its]) => {
      const most = Math.max(...its.map(({ ms }) => ms));
      const statuses = [...new Set(its.map(({ status }) => status))].join(' ');
      return [kind, `${Math.round(most)} ms, ${statuses}`];
    }),
  );
}

function watchMemory(pid: TestStack['pid']) {
  const most: Record<string, number> = {};
  const look = async (): Promise<void> => {
    for (const name of PROCESSES) {
      const { rss } = await processMemory(pid(name) ?? 0).catch(() => ({ rss: 0 }));
      most[`${name.replace('-svc', '')} MB`] = Math.max(most[`${name.replace('-svc', '')} MB`] ?? 0, Math.round(rss));
    }
  };
  const timer = setInterval(() => void look(), 250);
  return {
    end: async (): Promise<Row> => {
      clearInterval(timer);
      await look();
      return most;
    },
  };
}

async function login(url: string, who: { email: string; password: string }, address: string): Promise<string> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email: who.email, password: who.password }),
  });
  return z.object({ token: z.string() }).parse(await answer.json()).token;
}

/** Waits until what the attack left has gone and everything is ready. */
async function settle(url: string): Promise<void> {
  await sleep(3_000);
  while (!(await fetch(`${url}/ready`)).ok) await sleep(500);
}
