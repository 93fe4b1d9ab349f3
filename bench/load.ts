import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Row } from './report.ts';

const run = promisify(execFile);

export interface LoadOptions {
  url: string;
  connections: number;
  seconds: number;
  /** Returns path and query of each request. Without it, `url` is repeated. */
  nextPath?: () => string;
  headers?: Record<string, string>;
  /** Returns the processor time so far, in milliseconds by process. */
  meter?: () => Promise<ReadonlyMap<string, number>>;
  /** The required status of every response; the default is 200. */
  status?: number;
}

/** The result of a load. Times are in milliseconds from the last byte sent to the last byte received. */
export interface Load {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  requests: number;
  /** Average bytes of a response with its headers. */
  bytes: number;
  /** Processor milliseconds per request, by process. */
  cost: ReadonlyMap<string, number>;
}

const TIMEOUT_SECONDS = 30;
const SCRIPT = join(import.meta.dirname, 'load.lua');
// A first guess. If the paths run out, the load is repeated with four times as many.
const PATHS_A_SECOND = 500;

const figures = z.object({
  requests: z.int(),
  bytes: z.number(),
  us: z.number(),
  failed: z.int(),
  refused: z.int(),
  ranOut: z.boolean(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
});

/**
 * Sends requests for some seconds with wrk, one at a time per connection, without pauses. wrk itself takes only a few percent of a core.
 * Throws if a request fails or a response has a wrong status, because timings of failed requests are meaningless.
 */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, nextPath, seconds, headers = {}, status: wanted = 200, meter } = options;
  const folder = await mkdtemp(join(tmpdir(), 'esd-load-'));
  try {
    for (let count = Math.ceil(PATHS_A_SECOND * seconds); ; count *= 4) {
      const file = nextPath && (await writePaths(folder, nextPath, count));
      const first = await fetch(nextPath ? url + nextPath() : url, {
        headers,
        signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      });
      await first.arrayBuffer();
      if (first.status !== wanted) throw new Error(`${url} returned ${first.status}; expected ${wanted}`);
      const before = await meter?.();
      const { requests, bytes, us, failed, refused, ranOut, p50, p95, p99 } = await runWrk(options, file);
      const used = await meter?.();
      if (failed + refused > 0) throw new Error(`${url}: ${failed} requests failed, ${refused} were refused`);
      if (ranOut) continue;
      if (requests === 0) throw new Error(`${url}: no response`);
      return {
        perSecond: (requests * 1e6) / us,
        p50: p50 / 1000,
        p95: p95 / 1000,
        p99: p99 / 1000,
        requests,
        bytes: bytes / requests,
        cost: new Map(
          [...(used ?? [])].map(([process, time]) => [process, (time - (before?.get(process) ?? 0)) / requests]),
        ),
      };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writePaths(folder: string, nextPath: () => string, count: number): Promise<string> {
  const file = join(folder, 'paths');
  await writeFile(file, Array.from({ length: count }, nextPath).join('\n'));
  return file;
}

async function runWrk({ url, connections, seconds, headers = {} }: LoadOptions, file: string | undefined) {
  const { stdout } = await run('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${Math.ceil(seconds)}s`, '--timeout', `${TIMEOUT_SECONDS}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...['-s', SCRIPT, url],
    ...(file === undefined ? [] : ['--', file]),
  ]).catch((error: unknown) => {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    throw new Error('The load generator wrk is missing. Install it with `apt-get install wrk` or `brew install wrk`.');
  });
  return figures.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
}

export interface Contender extends LoadOptions {
  name: string;
}

/** Warms up each contender for a second, then runs all of them in several rounds. Returns the round with the median throughput of each. */
export async function inRounds(rounds: number, contenders: readonly Contender[]): Promise<Map<string, Load>> {
  const results = new Map(contenders.map(({ name }): [string, Load[]] => [name, []]));
  for (const contender of contenders) await load({ ...contender, seconds: 1 });
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) results.get(contender.name)?.push(await load(contender));
  }
  return new Map(
    [...results].flatMap(([name, loads]) => {
      const median = loads.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(loads.length / 2)];
      return median === undefined ? [] : [[name, median]];
    }),
  );
}

export function loadColumns({ perSecond, p50, p95, p99, cost }: Load): Row {
  return {
    'requests/s': perSecond,
    'p50 ms': p50,
    'p95 ms': p95,
    'p99 ms': p99,
    ...Object.fromEntries([...cost].map(([process, time]) => [`${process}, CPU ms`, time])),
  };
}

/** Returns the quantile of sorted values (nearest rank). */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
