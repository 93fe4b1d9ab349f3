import { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import type { Row } from './report.ts';

export interface LoadOptions {
  url: string;
  connections: number;
  seconds: number;
  /** Path and query of each request in turn; without it the url's own is sent again and again. */
  nextPath?: () => string;
  headers?: Record<string, string>;
  /** Processor time used so far, in milliseconds by process: what the load costs each of them. */
  meter?: () => Promise<ReadonlyMap<string, number>>;
  /** The status that every answer must have; 200 unless given. */
  status?: number;
}

/** What a load was answered with; times in milliseconds from the last byte sent to the last byte received. */
export interface Load {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  requests: number;
  /** Bytes of an answer with its head, on average. */
  bytes: number;
  /** Processor time of a request in milliseconds, by process. */
  cost: ReadonlyMap<string, number>;
}

const TIMEOUT_SECONDS = 30;

/**
 * Sends requests for some seconds, each connection one at a time, as fast as they are answered. Throws when an answer fails or has
 * another status than wanted: a number for errors would be none.
 */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, connections, seconds, nextPath, headers = {}, status: wanted = 200, meter } = options;
  const times: number[] = [];
  let bytes = 0;
  let failure: string | undefined;
  const usedBefore = await meter?.();
  const started = performance.now();
  let last = started;
  await new Promise<void>((resolve, reject) => {
    const running = autocannon(
      {
        url,
        connections,
        duration: seconds,
        timeout: TIMEOUT_SECONDS,
        headers,
        ...(nextPath && { requests: [{ setupRequest: (request) => ({ ...request, path: nextPath() }) }] }),
      },
      (error, result) => {
        if (error instanceof Error) reject(error);
        if (result.errors > 0) failure ??= `${result.errors} requests failed`;
        resolve();
      },
    );
    if (!(running instanceof EventEmitter)) throw new Error('the load generator did not start');
    running.on('response', (_client: unknown, status: number, size: number, milliseconds: number) => {
      if (status !== wanted) failure ??= `an answer had status ${status}`;
      times.push(milliseconds);
      bytes += size;
      last = performance.now();
    });
  });
  const used = await meter?.();
  if (failure !== undefined || times.length === 0) throw new Error(`${url}: ${failure ?? 'no answer'}`);
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length * 1000) / (last - started),
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
    requests: times.length,
    bytes: bytes / times.length,
    cost: new Map(
      [...(used ?? [])].map(([process, time]) => [process, (time - (usedBefore?.get(process) ?? 0)) / times.length]),
    ),
  };
}

export interface Contender extends LoadOptions {
  name: string;
}

/**
 * Runs loads in turn, after a second of each to warm up, several rounds of all of them. Returns by name the round with the median
 * number of answers a second.
 */
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

/** The columns of a load in a table. */
export function loadColumns({ perSecond, p50, p95, p99, cost }: Load): Row {
  return {
    'requests/s': perSecond,
    'p50 ms': p50,
    'p95 ms': p95,
    'p99 ms': p99,
    ...Object.fromEntries([...cost].map(([process, time]) => [`${process}, CPU ms`, time])),
  };
}

/** The value below which a share of sorted values lies (nearest rank). */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
