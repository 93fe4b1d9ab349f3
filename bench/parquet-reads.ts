/**
 * `node bench/parquet-reads.ts URL [RECORDS]`: how much of the stable Parquet file of 100,000 records (or RECORDS) programs read for one
 * question. The records are those of the service at URL, which holds the demo, again and again, with their numbers moved by up
 * to 5 %. Needs what `npm run test:readers` installs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readByteRange } from '@esd/service/http/byte-range';
import { readDatasetFacts } from '@esd/dataset-client/dataset-facts';
import { demoDatasetFile } from '@esd/testing/demo';
import { writeParquet } from '../apps/export-svc/src/files/write-parquet.ts';
import { seeded } from './random.ts';

const facts = readDatasetFacts(demoDatasetFile);
const JITTER = 0.05;
const CHUNK_RECORDS = 1_000;
/** A reader may take so much of the file. */
const SHARE = 1 / 3;

const [url = 'http://localhost:8080', count = '100000'] = process.argv.slice(2);
const recordCount = Number(count);
const record = z.looseObject({ recordId: z.int(), normalized: z.record(z.string(), z.number()) });
const answer = await fetch(`${url}/public/dataset/export?format=json&normalized=true`);
const demo = z.array(record).parse(await answer.json());
const random = seeded(1);

async function* chunks() {
  for (let first = 0; first < recordCount; first += CHUNK_RECORDS) {
    const length = Math.min(CHUNK_RECORDS, recordCount - first);
    yield await Promise.resolve({
      recordsJson: Array.from({ length }, (_, index) => Buffer.from(JSON.stringify(recordAt(first + index)))),
    });
  }
}

function recordAt(index: number) {
  const { normalized, ...rest } = random.pick(demo);
  const moved = Object.entries(normalized).map(
    ([name, value]) => [name, value * (1 + JITTER * random.next())] as const,
  );
  return { ...rest, recordId: index + 1, normalized: Object.fromEntries<number>(moved) };
}

/** Serves a file, whole or in ranges. */
async function serve(path: string): Promise<Server> {
  const { size } = await stat(path);
  const server = createServer((request, response) => {
    const range = request.method === 'GET' ? readByteRange(request.headers, size, 'file') : undefined;
    const { start, end } = range ?? { start: 0, end: size - 1 };
    response.writeHead(range ? 206 : 200, {
      'Accept-Ranges': 'bytes',
      'Content-Length': end - start + 1,
      ETag: '"file"',
      ...(range ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(path, { start, end }).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const folder = await mkdtemp(join(tmpdir(), 'esd-parquet-'));
try {
  const path = join(folder, 'records.parquet');
  const about = { facts, root: url, name: 'latest', kind: 'latest', date: new Date(0), revision: 1 } as const;
  const started = performance.now();
  const written = { ...about, count: recordCount, filter: undefined, doi: undefined, license: facts.license };
  await writeParquet({ about: written, chunks: chunks() }, path);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${recordCount} records written in ${seconds.toFixed(1)} s`);
  const server = await serve(path);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the file has no port');
  const root = join(import.meta.dirname, '..');
  const python = join(root, '.tools', 'readers', 'venv', 'bin', 'python');
  const served = `http://127.0.0.1:${address.port}/records.parquet`;
  const reader = spawn(python, [join(root, 'tools', 'readers', 'read_parquet.py'), served, String(SHARE)], {
    stdio: 'inherit',
  });
  await once(reader, 'exit');
  process.exitCode = reader.exitCode ?? 1;
  server.close();
} finally {
  await rm(folder, { recursive: true });
}
