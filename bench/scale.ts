/**
 * Measures what grows with the number of records: disk space of the database of dataset-svc, start and memory of a replica, and the time to
 * reserve a release. docs/scale.md contains the results.
 *
 *   node bench/scale.ts [--records 809,10000,1000000]
 *
 * Prints Markdown, then JSON. Does not wait for the files of the last release.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack } from '@esd/testing/stack';
import { openDataset } from './fill-dataset.ts';
import { growAndStart } from './new-replica.ts';
import { processorTime } from './process-cost.ts';
import { type Part, partMarkdown, type Row } from './report.ts';

const LISTED_MS = 60_000;
const QUERY_MS = 60_000;

const { values } = parseArgs({ options: { records: { type: 'string', default: '809,10000,1000000' } } });
const sizes = values.records.split(',').map((size) => z.coerce.number().int().positive().parse(size));

const rows: Row[] = [];
const targets: Part['targets'] = [];
const stack = await startStack({ empty: true });
try {
  const databaseUrl = stack.databaseUrl('esd_dataset');
  const bearer = await signInAsAdmin();
  const dataset = await openDataset(databaseUrl, 1);
  const bench = { stack, dataset, seed: 1, meter: () => processorTime(stack), seconds: 1, rounds: 1 };
  for (const size of sizes) {
    const grown = await growAndStart(bench, size);
    const megabytes = await databaseMegabytes(databaseUrl);
    const version = `v${rows.length + 1}.0.0`;
    const reservedMs = await reserve(version, bearer);
    if (size !== sizes.at(-1)) await listed(version);
    rows.push({
      ...grown,
      'database MB': megabytes,
      'bytes per record': (megabytes * 1e6) / size,
      'reserved ms': reservedMs,
    });
    console.error(JSON.stringify(rows.at(-1)));
    targets.push({ what: `a release of ${size} records, ms until reserved`, measured: reservedMs, atMost: 50 });
  }
  await dataset.close();
} finally {
  await stack.stop();
}
const part: Part = {
  title: 'Growth with the number of records',
  notes: [
    'Appended and ready: in seconds. Memory: of dataset-svc just after its start. Database: esd_dataset with its indexes.',
  ],
  rows,
  targets,
};
console.log(partMarkdown(part));
console.log(JSON.stringify(part));

async function signInAsAdmin(): Promise<string> {
  const who = { email: 'admin@example.org', password: 'correct horse battery staple' };
  await request(`${stack.url}/auth/admin/create`, { method: 'POST', body: { ...who, name: 'Bench' } });
  const login = await request(`${stack.url}/auth/login`, { method: 'POST', body: who });
  return z.object({ token: z.string() }).parse(login.json).token;
}

async function databaseMegabytes(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString, query_timeout: QUERY_MS });
  await client.connect();
  try {
    const { rows: found } = await client.query('select pg_database_size(current_database()) as bytes');
    return (
      z
        .array(z.object({ bytes: z.coerce.number() }))
        .length(1)
        .parse(found)
        .reduce((sum, { bytes }) => sum + bytes, 0) / 1e6
    );
  } finally {
    await client.end();
  }
}

async function reserve(version: string, bearer: string): Promise<number> {
  const began = performance.now();
  const body = { versionIdentifier: version };
  const answer = await request(`${stack.url}/admin/versions`, { method: 'POST', bearer, body });
  if (answer.status !== 202) throw new Error(`${version}: ${answer.status} ${answer.text}`);
  return performance.now() - began;
}

async function listed(version: string): Promise<void> {
  for (const until = Date.now() + LISTED_MS; Date.now() < until; await sleep(50)) {
    const { text } = await request(`${stack.url}/public/dataset/versions`);
    if (text.includes(`"${version}"`)) return;
  }
  throw new Error(`${version} is not listed after ${LISTED_MS} ms`);
}
