/**
 * Measures seconds and peak memory of exports and freezes, and the same workbook written by exceljs without streaming.
 *
 *   node bench/exports.ts [--records 809,100000]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { startStack } from '@esd/testing/stack';
import { downloadExport } from './export-file.ts';
import { openDataset } from './fill-dataset.ts';
import { processMemory } from './process-cost.ts';
import { type Part, partMarkdown, type Row } from './report.ts';

const FORMATS = ['json', 'csv', 'xlsx', 'parquet', 'zip'];
const CALLERS = 50;
const SAMPLE_MS = 50;

const run = promisify(execFile);
const { values } = parseArgs({ options: { records: { type: 'string', default: '809,100000' } } });

const stack = await startStack({ empty: true });
const folder = await mkdtemp(join(tmpdir(), 'esd-bench-exports-'));
const part: Part = {
  title: 'Exports and freezes',
  notes: [
    'First: includes building the file (json and csv are always streamed). Again: the file exists. MB: peak RSS of export-svc minus its RSS before.',
    'Whole workbook: the same rows by exceljs in a separate process, without streaming, HTTP and storage.',
  ],
  rows: [],
  targets: [],
};
const rows: Row[] = [];
const done = (row: Row): void => {
  rows.push(row);
  console.error(JSON.stringify(row));
};
try {
  const who = { email: 'admin@example.org', password: 'correct horse battery staple' };
  await request(`${stack.url}/auth/admin/create`, { method: 'POST', body: { ...who, name: 'Bench' } });
  const login = await request(`${stack.url}/auth/login`, { method: 'POST', body: who });
  const bearer = z.object({ token: z.string() }).parse(login.json).token;
  const dataset = await openDataset(stack.databaseUrl('esd_dataset'), 1);
  for (const records of values.records.split(',').map(Number)) {
    await dataset.growTo(records);
    await stack.restart('dataset-svc');
    await stack.restart('export-svc');
    for (const format of FORMATS) {
      const download = () => downloadExport(stack.url, format, join(folder, `file.${format}`));
      const first = await measured(download);
      const again = await measured(download);
      done({
        records,
        what: format,
        'first s': first.seconds,
        'again s': again.seconds,
        'file MB': first.result / 1e6,
        MB: first.megabytes,
      });
      if (format === 'xlsx' && records >= 100_000) {
        const what = 'xlsx of 100,000 records, MB above idle';
        part.targets.push({ what, measured: first.megabytes, atMost: 150 });
      }
    }
    const baseline = await run(
      process.execPath,
      [join(import.meta.dirname, 'whole-workbook.ts'), join(folder, 'file.json'), join(folder, 'whole.xlsx')],
      { timeout: 600_000 },
    );
    const { seconds, megabytes } = z
      .object({ seconds: z.number(), megabytes: z.number() })
      .parse(JSON.parse(baseline.stdout));
    done({ records, what: 'xlsx, whole workbook', 'first s': seconds, MB: megabytes });

    const filter = encodeURIComponent('{"polymer":"PVDF"}');
    const path = `/public/dataset/export?format=xlsx&filter=${filter}`;
    const many = await measured(() =>
      Promise.all(Array.from({ length: CALLERS }, async () => drain(await fetch(stack.url + path)))),
    );
    const built = await builtFiles(`"format":"xlsx"`);
    done({
      records,
      what: `filtered xlsx, ${CALLERS} concurrent callers`,
      'first s': many.seconds,
      MB: many.megabytes,
    });
    done({ records, what: 'xlsx files built so far', 'first s': built });

    const identifier = `v${rows.length}.0.0`;
    const began = performance.now();
    const begun = await request(`${stack.url}/admin/versions`, {
      method: 'POST',
      bearer,
      body: { versionIdentifier: identifier },
    });
    const reserved = performance.now() - began;
    if (begun.status !== 202) throw new Error(`freeze: ${begun.status} ${begun.text}`);
    const frozen = await measured(async () => {
      for (;;) {
        const { text } = await request(`${stack.url}/public/dataset/versions`);
        if (text.includes(`"${identifier}"`)) return;
        await sleep(20);
      }
    });
    done({ records, what: 'freeze, until reserved (ms)', 'first s': reserved });
    done({ records, what: 'freeze, until listed', 'first s': frozen.seconds, MB: frozen.megabytes });
    part.targets.push({ what: `freeze of ${records}, ms until reserved`, measured: reserved, atMost: 50 });
  }
  await dataset.close();
} finally {
  await stack.stop();
  await rm(folder, { recursive: true });
}
const whole = { ...part, rows };
console.log(partMarkdown(whole));
console.log(JSON.stringify(whole));

async function drain(response: Response): Promise<number> {
  return (await response.arrayBuffer()).byteLength;
}

async function builtFiles(part: string): Promise<number> {
  const text = await readFile(join(stack.dataDir, 'logs', 'export-svc.log'), 'utf8');
  return text.split('\n').filter((line) => line.includes('file built') && line.includes(part)).length;
}

/** Measures the seconds of some work, and the growth of export-svc's resident memory to its peak, in MB. */
async function measured<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: number; megabytes: number }> {
  const pid = stack.pid('export-svc');
  if (pid === undefined) throw new Error('export-svc is not running');
  const { rss: before } = await processMemory(pid);
  let peak = before;
  let ended = false;
  const sampling = (async () => {
    while (!ended) {
      peak = Math.max(peak, (await processMemory(pid)).rss);
      await sleep(SAMPLE_MS);
    }
  })();
  const started = performance.now();
  try {
    const result = await work();
    return { result, seconds: (performance.now() - started) / 1000, megabytes: peak - before };
  } finally {
    ended = true;
    await sampling;
  }
}
