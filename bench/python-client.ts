/**
 * Measures how the Python client reads a whole release into a frame (seconds, memory), compared with pandas on the file and with the
 * published client.
 *
 *   node bench/python-client.ts --python PYTHON [--records 809,100000] [--ways 'parquet|csv']
 *
 * PYTHON is an interpreter with esd-client, electrospinning-data-client 0.2.0 and pyarrow. --ways is a regular expression that selects
 * rows: the published client and pandas on the json file need about 8 GB for a million records. Prints Markdown, then JSON.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack } from '@esd/testing/stack';
import { openDataset } from './fill-dataset.ts';
import { type Part, partMarkdown, type Row } from './report.ts';

const WAYS: readonly (readonly [way: string, file: string])[] = [
  ['pandas, parquet file', 'parquet'],
  ['client, parquet', 'parquet'],
  ['pandas, csv file', 'csv'],
  ['client, csv', 'csv'],
  ['pandas, json file', 'json'],
  ['client, json pages', 'json'],
  ['published 0.2.0', 'json'],
  ['client, verify', 'json'],
];
const MAX_MS = 1_800_000;

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    records: { type: 'string', default: '809,100000' },
    ways: { type: 'string', default: '.' },
  },
});
const ways = new RegExp(values.ways);
const measured = z.object({
  seconds: z.number(),
  processorSeconds: z.number(),
  peakMb: z.number(),
  aboveImportsMb: z.number(),
  rows: z.number(),
});
const script = resolve(import.meta.dirname, '../clients/python/bench/measure.py');

const stack = await startStack({ empty: true });
const folder = await mkdtemp(join(tmpdir(), 'esd-bench-python-'));
const rows: Row[] = [];
try {
  const who = { email: 'admin@example.org', password: 'correct horse battery staple' };
  await request(`${stack.url}/auth/admin/create`, { method: 'POST', body: { ...who, name: 'Bench' } });
  const dataset = await openDataset(stack.databaseUrl('esd_dataset'), 1);
  for (const records of values.records.split(',').map(Number)) {
    await dataset.growTo(records);
    await stack.restart('dataset-svc');
    const version = `v${records}.0.0`;
    const login = await request(`${stack.url}/auth/login`, { method: 'POST', body: who });
    const bearer = z.object({ token: z.string() }).parse(login.json).token;
    for (;;) {
      const frozen = await request(`${stack.url}/admin/versions`, {
        method: 'POST',
        bearer,
        body: { versionIdentifier: version },
      });
      if (frozen.status === 202) break;
      // export-svc takes a moment to reconnect to dataset-svc.
      if (frozen.status !== 503) throw new Error(`freeze: ${frozen.status} ${frozen.text}`);
      await sleep(1_000);
    }
    while (!(await request(`${stack.url}/public/dataset/versions`)).text.includes(`"${version}"`)) await sleep(200);
    for (const [way, format] of WAYS.filter(([name]) => ways.test(name))) {
      const file = join(folder, `file.${format}`);
      const answer = await fetch(`${stack.url}/public/dataset/${version}/export?format=${format}`);
      if (answer.status !== 200 || !answer.body) throw new Error(`export: ${answer.status}`);
      await pipeline(Readable.from(answer.body), createWriteStream(file));
      const { stdout } = await run(values.python, [script, way, stack.url, version, file], { timeout: MAX_MS });
      const { seconds, processorSeconds, peakMb, aboveImportsMb } = measured.parse(JSON.parse(stdout));
      const row = {
        records,
        what: way,
        s: seconds,
        'processor s': processorSeconds,
        'peak MB': peakMb,
        'above imports MB': aboveImportsMb,
      };
      rows.push(row);
      console.error(JSON.stringify(row));
    }
  }
  await dataset.close();
} finally {
  await stack.stop();
  await rm(folder, { recursive: true });
}
const part: Part = { title: 'The Python client', notes: [], rows, targets: [] };
console.log(partMarkdown(part));
console.log(JSON.stringify(part));
